# SPDX-License-Identifier: MIT
"""A trace of CTF, read by babeltrace 2's library, against the table of events of the same capture: each event, in the order of
time, with its place and its values. Runs by the system's Python, which has Debian's python3-bt2.

Usage: ctf.py TRACE.ctf EVENTS.csv [LOST]     LOST: so many events must be counted as discarded
"""
import csv
import math
import sys

import bt2

# A kind that has these fields: its column "value" of the table, and its column "text".
FIELDS = {
    "lost": ("lost", None),
    "id note": ("id", "note"),
    "duration_ns": ("duration_ns", "note"),
    "bytes address": ("bytes", None),
    "level": (None, "text"),
    "text": (None, "text"),
    "times": ("times", "of"),
    "priority": ("priority", None),
    "unused": ("unused", None),
    "cycles": ("cycles", "instructions"),
    "missed": ("missed", None),
    "session image": ("session", "image"),
    "value": ("value", None),
    "bytes": ("bytes", "name"),
    "note": (None, "note"),
}


def columns(fields):
    for names, found in FIELDS.items():
        if all(name in fields for name in names.split()):
            return found
    return None, None


def shown(text):
    """What the table has: without its mark before what a spreadsheet takes for a formula. An empty text is "-"."""
    return text[1:] if text[:2] in ("'=", "'+", "'-", "'@", "'\t", "'\r") else text or "-"


def same_number(field, text):
    if text == "":
        return True
    if text.isdigit():
        return int(field) == int(text)
    value = float(text)
    return float(field) == value or math.isnan(value) and math.isnan(float(field))


def check_event(event, time, row):
    fields = event.payload_field
    names = set(fields)
    kind = row["kind"].split(" ", 1)
    assert time == max(int(row["time_ns"]), 0), (time, row)
    assert event.cls.name == ("task" if kind[0] == "task" and "state" in names else row["kind"].replace(" ", "_")), (event.cls.name, row)
    assert str(event.common_context_field["context"] if event.common_context_field else
               event.specific_context_field["context"]) == shown(row["context"]), row
    stack = " ".join(f"{int(address):#x}" for address in fields["stack"]) if "stack" in names else ""
    assert stack == row["stack"], (stack, row)
    if "state" in names:
        assert kind[1] == str(fields["state"]), row
        assert same_number(fields["before_ns"], row["value"]), row
        return
    if "name" in names and "level" not in names and not (event.cls.name == "large"):
        assert str(fields["name"]) == shown(row["name"]), (fields["name"], row)
    value, text = columns(names)
    assert value is None or same_number(fields[value], row["value"]), (value, fields[value], row)
    if text and text != "instructions":
        assert str(fields[text]) == shown(row["text"]), (text, str(fields[text]), row)
    elif text:
        assert int(fields[text]) == int(row["text"]), row
    if "address" in names:
        assert row["text"].split(" ")[0] == f"{int(fields['address']):#x}", row


def main():
    with open(sys.argv[2], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rows.sort(key=lambda row: max(int(row["time_ns"]), 0))  # equal ones stay as they came
    seen = discarded = 0
    origin = None
    for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
        if isinstance(message, bt2._EventMessageConst):
            cls = message.default_clock_snapshot.clock_class
            origin = cls.offset.seconds * 1000000000 + cls.offset.cycles
            check_event(message.event, message.default_clock_snapshot.ns_from_origin - origin, rows[seen])
            seen += 1
        elif isinstance(message, bt2._DiscardedEventsMessageConst):
            discarded += message.count or 0
    assert seen == len(rows), (seen, len(rows))
    lost = sum(int(row["value"]) for row in rows if row["kind"] == "gap")
    assert discarded == lost, (discarded, lost)
    if len(sys.argv) > 3:
        assert lost == int(sys.argv[3]), lost
    print(f"{sys.argv[1]}: {seen} events, {discarded} discarded")


main()
