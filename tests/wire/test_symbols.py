#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Of two programs in one capture each has its own name and its own symbols. Usage: test_symbols.py HOSTLINK"""
import json
import os
import subprocess
import sys
import tempfile

from wire_encoder import on_the_wire
from wire_packets import packet_with_crc, stuff

ADDRESS = 0x80001003
SYMBOLS = 25
failures = 0


def varint(value):
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def string(text):
    return varint(len(text)) + text.encode()


def symbols(function, program):
    """Of one address, for the program of a number of sites and 4 bytes, or for any."""
    head = b"" if program is None else b"".join(map(varint, (program, 4, 0, 0)))
    entry = varint(ADDRESS) + varint(ADDRESS & ~3) + varint(64) + varint(1) + string(function) + string("a.c") + varint(7)
    return stuff(packet_with_crc(SYMBOLS, 0, head + entry)) + b"\0"


def session(number, sites, early=False, image="same"):
    """A sample of a board that was started with a program of so many sites; "early": its first packet is lost."""
    lines = [f'SESSION sequence=0 session={number} hz=1000000 now=1000 flags=0 sites={sites} pointer=4 image="{image}"'
             ' lanes=1 names=""',
             "EVENTS sequence=1 lane=0 slots=8 count=2 first=0 time=1010 context=1\n"
             f"CALLSTACK ticks=1010 words=0x1,{ADDRESS:#x}\nSAMPLE ticks=1010 words=0x3e8"]
    return b"".join(on_the_wire(line) for line in (reversed(lines) if early else lines))


def named(hostlink, stream):
    """What the samples of each session met, in three outputs."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.kymo")
        with open(path, "wb") as file:
            file.write(stream)
        made = {kind: os.path.join(folder, kind) for kind in ("folded-samples", "speedscope", "pprof", "perfetto")}
        asked = [part for kind, name in made.items() for part in ("-o", f"{kind}:{name}")]
        subprocess.run([hostlink, "convert", path, *asked], check=True, capture_output=True)
        lines = subprocess.run([hostlink, "stats", path, "--samples"], check=True, capture_output=True).stdout
        contents = {"stats": lines}
        for kind, name in made.items():
            with open(name, "rb") as file:
                contents[kind] = file.read()
    return contents


def check(hostlink, what, stream, wanted, unwanted):
    global failures
    for kind, text in named(hostlink, stream).items():
        for name in wanted + unwanted:
            if (name.encode() in text) != (name in wanted):
                failures += 1
                print(f"FAILED: {what}: {kind} {'lacks' if name in wanted else 'has'} {name}")


def check_programs(hostlink):
    """Also where a session's first packets are lost."""
    global failures
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.kymo")
        with open(path, "wb") as file:
            file.write(session(1, 1, True, "first") + session(2, 2, image="second"))
        made = subprocess.run([hostlink, "convert", path, "-o", "chrome:-"], check=True, capture_output=True).stdout
    names = {event["pid"]: event["args"]["name"] for event in json.loads(made)["traceEvents"]
             if event["name"] == "process_name"}
    if names != {1: "first", 2: "second"}:
        failures += 1
        print(f"FAILED: programs are called {names}")


def main():
    hostlink = sys.argv[1]
    of_a, of_b, address = symbols("inner_of_A", 1), symbols("inner_of_B", 2), hex(ADDRESS)
    one, two = session(1, 1), session(2, 2)
    check(hostlink, "for any program", one + two + symbols("of_any", None), ["of_any"], [])
    check(hostlink, "its own", one + of_a, ["inner_of_A"], [])
    check(hostlink, "another's", two + of_a, [], ["inner_of_A"])
    check(hostlink, "two programs", one + two + of_a + of_b, ["inner_of_A", "inner_of_B"], [])
    check(hostlink, "two programs, the second first", two + of_b + one + of_a, ["inner_of_A", "inner_of_B"], [])
    check(hostlink, "before its session is told", session(1, 1, True) + of_a, ["inner_of_A"], [])
    check_programs(hostlink)
    both = named(hostlink, one + two + of_a)["folded-samples"].decode()
    if "inner_of_A 1\n" not in both or f"{address} 1\n" not in both:
        sys.exit(f"FAILED: a program without symbols beside one with them:\n{both}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
