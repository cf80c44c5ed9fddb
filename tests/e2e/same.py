#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same.BOARD.LINK: two captures of one board's demo, made over different links, tell the same story.

Usage: same.py DUMP_EVENTS CAPTURE CAPTURE

What the demo computes does not depend on time, so each of its rows must hold the same events in the same order with
the same values. Left out is what does depend on it: the times, the 1 kHz interrupt, and, on a board of one core,
the places where the sensor's steps fall between the network's layers. Two images have their data at different
places, so an address stands for the order in which it was first seen.
"""
import re
import subprocess
import sys

INTERRUPT = "timer"
INTERLEAVED = "sensor"
LINE = re.compile(r'^(?P<time>-?\d+) "(?P<row>[^"]*)" (?P<event>.*)$')
ADDRESS = re.compile(r"\b0x[0-9a-f]{5,}\b")


def events(dump, path):
    shown = subprocess.run([dump, "events", path], check=True, capture_output=True, text=True).stdout
    lines = shown.splitlines()
    if not lines or not re.fullmatch(r"delivered=\d+ lost=0", lines[-1]):
        sys.exit(f"{path}: not a capture without losses: {lines[-1:]}")
    for line in lines[:-1]:
        match = LINE.match(line)
        if match is None:
            sys.exit(f"{path}: cannot read '{line}'")
        yield match["row"], match["event"]


def story(dump, path):
    """Row to list of events; what happens in the interleaved zone is a row of its own."""
    rows, addresses, inside = {}, {}, {}
    for row, event in events(dump, path):
        if row == INTERRUPT or event == "runs" or event.startswith('plot "images"'):
            continue
        depth = inside.get(row, 0)
        begins, ends = event.startswith("begin"), event.startswith("end")
        if depth > 0 or event.startswith(f'begin "{INTERLEAVED}"'):
            inside[row] = depth + begins - ends
            row = INTERLEAVED
        if event.startswith(("alloc", "free")) or "code at" in event:
            event = ADDRESS.sub(lambda a: f"@{addresses.setdefault(a[0], len(addresses))}", event)
        rows.setdefault(row, []).append(event)
    return rows


def main():
    dump, first_path, second_path = sys.argv[1:]
    first, second = story(dump, first_path), story(dump, second_path)
    if first.keys() != second.keys():
        sys.exit(f"rows differ: {sorted(first)} and {sorted(second)}")
    for row, told in first.items():
        other = second[row]
        for place, (a, b) in enumerate(zip(told, other)):
            if a != b:
                sys.exit(f'"{row}", event {place}: {a} and {b}')
        if len(told) != len(other):
            sys.exit(f'"{row}": {len(told)} events and {len(other)}')
    total = sum(map(len, first.values()))
    if total < 1000:
        sys.exit(f"only {total} events to compare")
    print(f"{total} events in {len(first)} rows are the same")


main()
