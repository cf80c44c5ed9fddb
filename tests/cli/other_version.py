#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stream of packets on standard input, as a board of another version of the wire sends them, to standard output.

  other_version.py VERSION
"""
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))
from wire_packets import packets, stuff  # noqa: E402

for number, sequence, body in packets(sys.stdin.buffer.read()):
    packet = bytes([int(sys.argv[1]) << 5 | number, sequence]) + body
    sys.stdout.buffer.write(stuff(packet + struct.pack("<I", zlib.crc32(packet))) + b"\0")
