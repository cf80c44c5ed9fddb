# SPDX-License-Identifier: MIT
"""What is shown of what tests/tracy/wrong.cpp does wrong: each kind once at least, and nothing lost.

Usage: wrong.py FOLDER: holds wrong.events.csv, and wrong.out, what hostlink printed.
"""
import csv
import pathlib
import re
import sys

WARNINGS = ["a text was longer than KYMO_PACKET_BYTES allows and is cut", "a name was NULL",
            "a fiber was left that was not entered", "a lock was used before it was announced",
            "a parameter's name is no string literal"]
REPAIRS = ["end without an open zone: left out", "released without being held: left out"]


def main():
    folder = pathlib.Path(sys.argv[1])
    wrong = []
    with open(folder / "wrong.events.csv", newline="", encoding="utf-8") as lines:
        events = list(csv.DictReader(lines))
    messages = [row["text"] for row in events if row["kind"] == "message"]
    for text in WARNINGS:
        if f"tracy: {text}, 1 times so far" not in messages:
            wrong.append(f"no message: {text}")
    # Seven names were NULL, of which the first, second and fourth are messages.
    if "tracy: a name was NULL, 4 times so far" not in messages:
        wrong.append("names that were NULL are not counted")
    repairs = [row["text"] for row in events if row["kind"] == "repair"]
    wrong += [f"not marked: {text}" for text in REPAIRS if text not in repairs]
    xs = [row["text"] for row in events if row["kind"] in ("zone text", "message") and "xxx" in row["text"]]
    if len(xs) != 3 or any(len(text) not in (118, 122) or text[-2:] != "x…" for text in xs):
        wrong.append(f"long texts: {[len(text) for text in xs]}")
    printed = (folder / "wrong.out").read_text()
    if not re.search(r"^events: emitted (\d+) delivered \1 lost 0$", printed, re.M):
        wrong.append(f"events are lost: {printed}")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
