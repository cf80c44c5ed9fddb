#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Resets a machine by QEMU's monitor. Usage: reset.py SOCKET"""
import socket
import sys

PROMPT = b"\r\n(qemu) "


def read_on(monitor):
    """To the next prompt: a command whose connection closes before is not carried out."""
    text = b""
    while not text.endswith(PROMPT):
        more = monitor.recv(4096)
        assert more, "the monitor is gone"
        text += more


with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    read_on(connection)
    connection.sendall(b"system_reset\n")
    read_on(connection)
