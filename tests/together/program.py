#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same as program.c, in Python. Usage: program.py PORT SOCKET TRUTH STOP"""
import pathlib
import socket
import struct
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
    line.settimeout(0.01)
    next_ns, count, part, now = 0, 0, b"", time.monotonic_ns
    with open(out, "w", encoding="ascii") as truth:
        while not pathlib.Path(stop).exists():
            try:
                part += line.recv(64)
            except socket.timeout:
                pass
            while len(part) >= 9:
                (number,) = struct.unpack("<Q", part[1:9])
                part = part[9:]
                before = now()
                kymo.flow_receive("mail", number)
                truth.write(f"r {number:x} {before:x} {now():x}\n")
            if now() >= next_ns:
                next_ns, number = now() + EVERY_NS, MINE | count
                count += 1
                before = now()
                kymo.flow_send("mail", number)
                truth.write(f"s {number:x} {before:x} {now():x}\n")
                line.sendall(b"\xa5" + struct.pack("<Q", number))
    kymo.stop()


main()
