#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'hostlink top' in a console of Windows, which wine draws on a pseudo-terminal: it shows the capture, takes a key for
the zones alone, and ends with another one. Wine hands the sequences on as they are.
Usage: console.py wine HOSTLINK.EXE top CAPTURE"""
import fcntl
import os
import pty
import struct
import sys
import termios


def read_until(fd, wanted, done=b""):
    while wanted not in done:
        some = os.read(fd, 65536)
        assert some, done
        done += some
    return done[done.index(wanted) + len(wanted):]


child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], sys.argv[1:])
rest = read_until(terminal, b"interrupts (")
os.write(terminal, b"z")
rest = read_until(terminal, b">[z]ones", rest)
os.write(terminal, b"q")
try:
    read_until(terminal, b"[?1049l", rest)
    while os.read(terminal, 65536):
        pass
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.exit(status)
