#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same as program.c, in Python. Usage: program.py PORT SOCKET TRUTH STOP"""
import pathlib
import select
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "ports/python"))
import kymo

MINE = 1 << 56
EVERY_NS = 40_000_000


def main():
    port, path, out, stop = sys.argv[1:]
    kymo.start(listen=int(port), name="program in Python")
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    next_ns, count, part, now = 0, 0, b"", time.monotonic_ns
    with open(out, "w", encoding="ascii") as truth:
        while not pathlib.Path(stop).exists():
            if select.select([line], [], [], 0.01)[0]:
                part += line.recv(64)
            *lines, part = part.split(b"\n")
            for text in lines:
                if len(text) != 16:
                    continue  # a byte was lost on the way
                number = int(text, 16)
                before = now()
                kymo.flow_receive("mail", number)
                truth.write(f"r {number:x} {before:x} {now():x}\n")
            if now() >= next_ns:
                next_ns, number = now() + EVERY_NS, MINE | count
                count += 1
                before = now()
                kymo.flow_send("mail", number)
                truth.write(f"s {number:x} {before:x} {now():x}\n")
                line.sendall(b"%016x\n" % number)
    kymo.stop()


main()
