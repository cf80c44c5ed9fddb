# SPDX-License-Identifier: MIT
"""Viewers that leave in the middle, come again, come two at a time, and talk nonsense.

Usage: viewers.py PORT FILE: while the program runs; it ends when FILE is there. By the protocol of Tracy 0.11.1, 69.
       viewers.py PORT PROCESS: kills the process while it looks on.
"""
import os
import pathlib
import signal
import socket
import struct
import sys
import time

PORT, END = int(sys.argv[1]), pathlib.Path(sys.argv[2].strip())
WELCOME = 1178


def connect():
    for _ in range(6000):
        try:
            return socket.create_connection(("127.0.0.1", PORT), 300)
        except ConnectionRefusedError:
            time.sleep(0.05)
    sys.exit("nobody listens")


def read(peer, length):
    data = b""
    while len(data) < length:
        part = peer.recv(length - len(data))
        if not part:
            sys.exit(f"closed after {len(data)} of {length} bytes")
        data += part
    return data


def welcomed(peer):
    if read(peer, 1) != b"\1":
        sys.exit("no welcome")
    welcome = read(peer, WELCOME)
    read(peer, 16)
    name = welcome[90:154].split(b"\0")[0]
    if name != b"program" and not name.startswith(b"qemu"):
        sys.exit(f"the program is called {name}")
    if struct.unpack_from("<Q", welcome, 56)[0] == 0:
        sys.exit("no process number")


def frames(peer, count):
    for _ in range(count):
        length = struct.unpack("<I", read(peer, 4))[0]
        if not 0 < length <= 263188:
            sys.exit(f"a frame of {length} bytes")
        read(peer, length)


def greet(peer, protocol=69):
    peer.sendall(b"TracyPrf" + struct.pack("<I", protocol))
    return peer


def read_to_the_end(peer):
    peer.settimeout(600)
    try:
        while peer.recv(65536):
            pass
    except ConnectionResetError:
        pass


if END.name.isdigit():
    witness = greet(connect())
    welcomed(witness)
    frames(witness, 3)
    os.kill(int(END.name), signal.SIGKILL)
    read_to_the_end(witness)
    sys.exit(0)
nonsense = connect()
nonsense.sendall(b"GET / HTTP/1.1\r\n\r\n")
if nonsense.recv(1) != b"":
    sys.exit("nonsense is answered")
if read(greet(connect(), 68), 1) != b"\2":
    sys.exit("an unknown protocol is not refused")
for _ in range(3):
    viewer = greet(connect())
    welcomed(viewer)
    frames(viewer, 3)
    viewer.close()
first = greet(connect())
welcomed(first)
second = greet(connect())
frames(first, 5)
first.close()
welcomed(second)
frames(second, 3)
# It stays while the program ends: the last thing is the end, or the connection's.
END.touch()
read_to_the_end(second)
