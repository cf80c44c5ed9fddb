# SPDX-License-Identifier: MIT
"""A stream of packets on standard input, without those of one type (runtime/WIRE.md: its number), or the first of these, to
standard output: drop_packets.py TYPE [COUNT]"""
import sys

DROPPED = 4 << 5 | int(sys.argv[1])  # version 4
count = int(sys.argv[2]) if len(sys.argv) > 2 else -1
for chunk in sys.stdin.buffer.read().split(b"\0"):
    # The first byte of a packet comes after the first code byte, and is not zero.
    if chunk[1:2] != bytes([DROPPED]) or count == 0:
        sys.stdout.buffer.write(chunk + b"\0")
    else:
        count -= 1
