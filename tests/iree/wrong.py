# SPDX-License-Identifier: MIT
"""What is shown of what tests/iree/wrong.c does wrong, and too much: each kind once at least, and nothing lost.

Usage: wrong.py FOLDER PLACES: holds wrong.events.csv, wrong.out, what hostlink printed, and many/; PLACES is KYMO_DYNAMIC_SITES.
"""
import collections
import csv
import pathlib
import re
import sys

NAMES, SOURCES = 10000, 40
NO_ROOM = "made at run time, no room for its name"
# Outside of the flood of names: five with no or empty names, one ended twice, two that are too long, one never ended.
OTHERS = 9
WARNINGS = ["a name was NULL", "a text was longer than KYMO_PACKET_BYTES allows and is cut",
            "a source file had no room in KYMO_IREE_SOURCES"]


def main():
    folder, places = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    wrong = []
    with open(folder / "wrong.events.csv", newline="", encoding="utf-8") as lines:
        events = list(csv.DictReader(lines))
    messages = [row["text"] for row in events if row["kind"] == "message"]
    wrong += [f"no message: {text}" for text in WARNINGS if f"tracy: {text}, 1 times so far" not in messages]
    begun = collections.Counter(row["name"] for row in events if row["kind"] == "zone begin")
    named = {name: count for name, count in begun.items() if re.fullmatch(r"name \d{5}", name)}
    if sum(begun.values()) != NAMES + OTHERS or len(named) + begun[NO_ROOM] != NAMES or max(named.values()) != 1:
        wrong.append(f"zones: {sum(begun.values())}, of which {len(named)} with their names, {begun[NO_ROOM]} without")
    if not places - 20 <= len(named) <= places:
        wrong.append(f"{len(named)} names in {places} places")
    if begun["ended twice"] != 1 or begun["never ended"] != 1:
        wrong.append("zones that are wrongly ended")
    repairs = [row["text"] for row in events if row["kind"] == "repair"]
    if "end without an open zone: left out" not in repairs:
        wrong.append(f"not marked: a zone that is ended twice, in {repairs}")
    long = [name for name in begun if name.startswith("xxx")]
    if not long or any(len(name.encode().removesuffix("\u2026".encode())) != 255 for name in long):
        wrong.append(f"long names: {[len(name) for name in long]}")
    sent = sorted(path.read_text() for path in (folder / "many").iterdir())
    if sent != [(1000 + i) * "x" for i in range(SOURCES)]:
        wrong.append(f"{len(sent)} source files of {[len(text) for text in sent]} bytes")
    printed = (folder / "wrong.out").read_text()
    if not re.search(r"^events: emitted (\d+) delivered \1 lost 0$", printed, re.M):
        wrong.append(f"events are lost: {printed}")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
