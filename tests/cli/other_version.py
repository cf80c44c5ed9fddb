#!/usr/bin/env python3
"""A stream of frames on standard input, as a board of another version of the wire sends them, to standard output.

  other_version.py VERSION
"""
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))
from wire_frames import frames, stuff  # noqa: E402

for number, sequence, body in frames(sys.stdin.buffer.read()):
    frame = bytes([int(sys.argv[1]) << 5 | number, sequence]) + body
    sys.stdout.buffer.write(stuff(frame + struct.pack("<I", zlib.crc32(frame))) + b"\0")
