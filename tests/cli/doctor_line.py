#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What 'hostlink doctor' listens to: a pseudo-terminal that sends a capture, changed as lines change bytes.

  doctor_line.py CHANGE CAPTURE [BAUD]    prints the device, then sends the capture again and again
  doctor_line.py CHANGE CAPTURE -         the same once, to standard output

At another rate than BAUD comes noise.
"""
import fcntl
import os
import pathlib
import pty
import random
import struct
import sys
import time
import tty

CHANGES = {
    "none": lambda data: data,
    "cr_lf": lambda data: data.replace(b"\n", b"\r\n"),
    "seven_bits": lambda data: bytes(byte & 0x7f for byte in data),
    "xon_xoff": lambda data: bytes(byte for byte in data if byte not in (0x11, 0x13)),
    "inverted": lambda data: bytes(byte ^ 0xff for byte in data),
    "text": lambda data: b"".join(b"[%5d] the sensor is ready\r\n" % at for at in range(300)),
    "silence": lambda data: b"",
    "noise": lambda data: random.Random(7).randbytes(5000),
}


TCGETS2 = 0x802c542a  # Linux's ioctl_tty(2): struct termios2, whose last word is the output rate


def rate_of(fd):
    return struct.unpack_from("I", fcntl.ioctl(fd, TCGETS2, bytes(44)), 40)[0]


def main(change, path, baud=None):
    data = CHANGES[change](pathlib.Path(path).read_bytes())
    if baud == "-":
        sys.stdout.buffer.write(data)
        return
    ours, other = pty.openpty()
    tty.setraw(other)
    print(os.ttyname(other), flush=True)
    noise = CHANGES["noise"](data)
    while True:
        is_right = baud is None or rate_of(ours) == int(baud)
        os.write(ours, data if is_right else noise)
        time.sleep(0.05)


main(*sys.argv[1:])
