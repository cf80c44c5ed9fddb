#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Announces boards on the network as ports/net/README.md has it, and much that is like it.

  announce.py UDP_PORT TCP_PORT NAME       the board at 127.0.0.1, every 100 ms until it is killed
  announce.py UDP_PORT hostile             what anybody might send
  announce.py UDP_PORT many                more boards than anybody has

Prints a line before the first of them.
"""
import random
import socket
import struct
import sys
import time


def announcement(tcp_port, mac, name, length=None):
    return (b"kymo" + bytes([1, 0]) + struct.pack(">H", tcp_port) + mac
            + bytes([len(name) if length is None else length]) + name)


def hostile(random_bytes):
    good = announcement(6996, bytes(6), b"good")
    yield from (good[:length] for length in range(len(good)))
    yield b"kymO" + good[4:]
    yield good[:4] + b"\x02" + good[5:]
    yield announcement(0, bytes(6), b"no port")
    yield announcement(6996, bytes(6), b"short", 200)
    yield announcement(6996, bytes(6), b"", 255)
    yield from (random_bytes.randbytes(random_bytes.randrange(1500)) for _ in range(200))


def main():
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    to = ("127.0.0.1", int(sys.argv[1]))
    print("announced", flush=True)
    if sys.argv[2] not in ("hostile", "many"):
        while True:
            line.sendto(announcement(int(sys.argv[2]), b"\x02\0\0\0\0\x07", sys.argv[3].encode()), to)
            time.sleep(0.1)
    seeded = random.Random(1)
    while True:
        if sys.argv[2] == "many":
            for i in range(100):
                line.sendto(announcement(8000 + i, bytes(6), b"x" * 64), to)
        else:
            # A name that would clear the screen; bytes of a later version after it.
            line.sendto(announcement(7000, bytes(6), b"\x1b[2Jred\xff") + b"later", to)
            for datagram in hostile(seeded):
                line.sendto(datagram, to)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
