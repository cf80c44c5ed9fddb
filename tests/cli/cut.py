#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A line that breaks: passes bytes between a unix socket that it makes and a TCP port, and hangs up once.

  cut.py SOCKET PORT BYTES PAUSE_S    hangs up when BYTES came from the board and the next 2000 were lost, and
                                      listens again PAUSE_S later
"""
import os
import select
import socket
import sys
import time


def listening(path):
    """The path is there as soon as, and not before, one can connect to it."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path + ".new")
    server.listen(1)
    os.rename(path + ".new", path)
    return server


def serve(path, port, limit):
    server = listening(path)
    host, _ = server.accept()
    server.close()
    os.unlink(path)
    board = socket.create_connection(("127.0.0.1", port))
    passed = 0
    while passed < limit:
        for ready in select.select([host, board], [], [])[0]:
            piece = ready.recv(4096)
            if not piece:
                return
            if ready is board:
                piece = piece[:limit - passed] if limit - passed < len(piece) else piece
                passed += len(piece)
            (host if ready is board else board).sendall(piece)
    lost = 0
    while lost < 2000:
        lost += len(board.recv(4096)) or 2000


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    time.sleep(float(sys.argv[4]))
    serve(sys.argv[1], int(sys.argv[2]), 1 << 60)
