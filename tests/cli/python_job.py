# SPDX-License-Identifier: MIT
"""A script that a test profiles: alone as it is, or as one of two that send each other messages by standard input and output.

  python_job.py            zones by name and by function, values, a thread, what is raised
  python_job.py NAME N     N messages to the other one, each answered; the port is the first line on standard output
"""
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


def talk(name, count):
    print(kymo.start(listen=0, name=name), flush=True)
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
    if len(sys.argv) > 1:
        talk(sys.argv[1], int(sys.argv[2]))
    else:
        alone()
