# SPDX-License-Identifier: MIT
"""A script that a test profiles: alone as it is, or as one of two that send each other messages by standard input and output.

  python_job.py            zones by name and by function, values, a thread, what is raised
  python_job.py rows       threads one after the other, tasks that overlap, a forked child; 3 is its exit status
  python_job.py misuse     a line on standard output for each call that is refused
  python_job.py NAME N     N messages to the other one, each answered; the port, $JOB_PORT or any, is the first line on standard output
"""
import asyncio
import os
import sys
import threading

import kymo


def inner(count):
    return sum(range(count))


def values():
    yield from (0, -1, 127, 1 << 31, -(1 << 31), -5_000_000_000, (1 << 63) - 1, 0.5, float(1 << 80))


@kymo.zone("thrower")
def thrower():
    raise ValueError


def helper():
    with kymo.zone("in a thread") as zone:
        zone.text("text of it")
        kymo.flow_receive("mail", 1 << 40)


def alone():
    for _ in range(300):
        inner(10)
    for value in values():
        kymo.plot("value", value)
    for number in range(100):  # more places than the encoder has slots
        kymo.plot(f"series {number}", number)
    try:
        thrower()
    except ValueError:
        kymo.message("h\u00e9llo", level="warning")
    kymo.signpost("pass", "1")
    kymo.flow_send("mail", 1 << 40)
    kymo.frame()
    thread = threading.Thread(target=helper, name="helper")
    thread.start()
    thread.join()


def rows():
    def work(number):
        with kymo.zone(f"work {number}"):
            pass

    async def wait(name, wakes, waits):
        with kymo.zone(name) as zone:
            await waits.wait()
            zone.text(f"text of {name}")
            inner(1)
        wakes.set()

    async def overlap():  # the first one to begin ends first
        turns = [asyncio.Event() for _ in range(4)]
        tasks = [asyncio.ensure_future(wait(f"task {number}", turns[number + 1], turns[number])) for number in range(3)]
        await asyncio.sleep(0)
        turns[0].set()
        await asyncio.gather(*tasks)

    for number in range(4):
        thread = threading.Thread(target=work, args=(number,), name=f"thread {number}")
        thread.start()
        thread.join()
    asyncio.run(overlap())
    if os.fork() == 0:
        work("of the child")
        sys.exit(0)
    os.wait()
    work("after the fork")
    kymo.message("a\0b", name="nul\0name")
    sys.exit(3)


def misuse():
    kymo.start(path="misuse.kymo")
    for call in (lambda: kymo.start(path="second.kymo"), lambda: kymo.plot("p", "text"), lambda: kymo.plot("p", 10 ** 400),
                 lambda: kymo.plot(5, 5), lambda: kymo.message("m", level="nope"), lambda: kymo.flow_send("f", -1),
                 lambda: kymo.zone(5).__enter__()):
        try:
            call()
        except (TypeError, ValueError, RuntimeError) as error:
            print(error)


def talk(name, count):
    print(kymo.start(listen=int(os.environ.get("JOB_PORT", 0)), name=name), flush=True)
    sys.stdin.readline()  # hostlink is there
    for number in range(count):
        if name == "ping":
            kymo.flow_send("mail", number)
            print(number, flush=True)
        if sys.stdin.readline() == "":
            break
        if name == "pong":
            kymo.flow_receive("mail", number)
            print(number, flush=True)
    kymo.stop()


if __name__ == "__main__":
    if sys.argv[1:] in (["rows"], ["misuse"]):
        globals()[sys.argv[1]]()
    elif len(sys.argv) > 1:
        talk(sys.argv[1], int(sys.argv[2]))
    else:
        alone()
