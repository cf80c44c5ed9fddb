#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A board whose line is cut within its last packet, on a unix socket: sends it again, whole, to the host that comes
again. The packets are examples of runtime/WIRE.md.

  half_packet.py SOCKET
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))
from cut import listening  # noqa: E402
from wire_examples import examples  # noqa: E402

SESSION, STATUS = (next(example.wire for example in examples() if example.lines.startswith(name))
                   for name in ("SESSION", "STATUS"))
server = listening(sys.argv[1])
for said in (SESSION + STATUS[:7], STATUS):
    host, _ = server.accept()
    host.sendall(said)
    time.sleep(0.3)
    host.close()
