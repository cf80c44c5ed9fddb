# SPDX-License-Identifier: MIT
"""A server of one connection on a unix socket, which sends what comes on standard input. Argument: the socket's path."""
import shutil
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.bind(sys.argv[1])
    server.listen(1)
    connection, _ = server.accept()
    with connection, connection.makefile("wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out)
