# SPDX-License-Identifier: MIT
"""Listens for the broadcast of a program, on this machine alone, while another holds the first of Tracy's ports.

Usage: announced.py PROCESS. Layout: the announcement of Tracy 0.9 and later, version 3.
"""
import socket
import struct
import sys

holder = socket.socket()
holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
ears = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ears.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
ears.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
ears.bind(("", 8086))
ears.settimeout(300)
for _ in range(50):
    data = ears.recv(1000)
    version, port, protocol, process, seconds = struct.unpack_from("<HHIQi", data)
    name = data[20:].rstrip(b"\0")
    if version == 3 and name == b"program" and 8086 <= port <= 8105 and seconds >= 0:
        peer = socket.create_connection(("127.0.0.1", port), 300)
        peer.sendall(b"TracyPrf" + struct.pack("<I", 69))
        sys.exit(0 if peer.recv(1) == b"\1" else "no welcome")
sys.exit("not heard")
