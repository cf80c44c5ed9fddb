"""A stream of packets on standard input, without its SITES packets, to standard output."""
import sys

SITES = 3 << 5 | 2  # version 3, type 2

for chunk in sys.stdin.buffer.read().split(b"\0"):
    # The first byte of a packet is behind the first code byte, and is not zero.
    if chunk[1:2] != bytes([SITES]):
        sys.stdout.buffer.write(chunk + b"\0")
