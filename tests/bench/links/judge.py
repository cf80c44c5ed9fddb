# SPDX-License-Identifier: MIT
"""What flood.c says at its end, held against what has arrived. Prints events, bytes of the capture, and ticks in all,
of recording and of sending, and the clock's rate. Usage: judge.py FOLDER"""
import os
import re
import sys

folder = sys.argv[1]
with open(os.path.join(folder, "capture.out")) as out, open(os.path.join(folder, "capture.err")) as err:
    said = out.read() + err.read()
flood = re.search(r"flood: events (\d+) ticks (\d+) recording (\d+) draining (\d+) hz (\d+)", said)
total = re.search(r"^events: emitted (\d+) delivered (\d+) lost (\d+)$", said, re.MULTILINE)
if flood is None or total is None:
    sys.exit(f"{folder}: no end of the flood:\n{said}")
events, ticks, recording, draining, hz = map(int, flood.groups())
emitted, delivered, lost = map(int, total.groups())
# Events that found the ring full were refused, and counted as lost.
if emitted < events or delivered + lost != emitted or lost * 100 > emitted:
    sys.exit(f"{folder}: {events} events recorded, {emitted} emitted, {delivered} delivered, {lost} lost")
print("flood", delivered, os.path.getsize(os.path.join(folder, "demo.kymo")), ticks, recording, draining, hz)
