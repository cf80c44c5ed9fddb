#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Listens, as a Tracy viewer on this machine does, for programs that announce themselves.

  announced.py TCP_PORT NAME      ends when the program at the port announces itself by the name; prints every other
                                  name that it announced before, of which 20 are a failure
"""
import socket
import struct
import sys

VIEWER_PORT = 8086
# TracyProtocol.hpp, BroadcastMessage of version 3: version, port, protocol, process, seconds since the start, name.
HEAD = struct.Struct("<HHIQi")

port, name = int(sys.argv[1]), sys.argv[2]
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
line.bind(("", VIEWER_PORT))
line.settimeout(900)
print("listens", flush=True)
others = 0
while others < 20:
    datagram = line.recv(2048)
    if len(datagram) > HEAD.size and HEAD.unpack_from(datagram)[1] == port:
        heard = datagram[HEAD.size:].split(b"\0")[0].decode()
        if heard == name:
            sys.exit()
        print(heard, flush=True)
        others += 1
sys.exit(f"it is announced, but not as {name}")
