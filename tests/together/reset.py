#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Resets a machine by QEMU's monitor. Usage: reset.py SOCKET"""
import socket
import sys

with socket.socket(socket.AF_UNIX) as monitor:
    monitor.connect(sys.argv[1])
    monitor.recv(4096)
    monitor.sendall(b"system_reset\n")
    monitor.recv(4096)
