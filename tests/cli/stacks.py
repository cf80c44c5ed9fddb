# SPDX-License-Identifier: MIT
"""Stacks of chance as folded stacks and as a profile of pprof, which this file encodes by profile.proto.

  stacks.py make          x.folded, x.pb, x.pb.gz
  stacks.py check FILE    FILE.csv, hostlink's table of zones of it
"""
import csv
import gzip
import random
import sys

CHANCE = random.Random(11)
NAMES = [f"function {i}" for i in range(30)] + ["std::map<a, b>::at(c) const", "=1+1", "é<b>"]
STACKS = [(tuple(CHANCE.choice(NAMES) for _ in range(CHANCE.randrange(1, 9))), CHANCE.randrange(1, 5000)) for _ in range(400)]


def totals():
    """By name: how long it was somewhere in the stack, and innermost. A name inside itself counts each time."""
    total, own = {}, {}
    for stack, amount in STACKS:
        own[stack[-1]] = own.get(stack[-1], 0) + amount
        for name in stack:
            total[name] = total.get(name, 0) + amount
    return total, own


def varint(number):
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def number(field, value):
    return varint(field << 3) + varint(value)


def piece(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def profile():
    """Two values for each sample, of which the default is the first, in us; every third frame is inlined in the next one.
    Numbers of a sample stand packed, or one by one."""
    strings = ["", "cpu", "microseconds", "samples", "count"] + NAMES + ["a.c"]
    data = piece(1, number(1, 1) + number(2, 2)) + piece(1, number(1, 3) + number(2, 4))
    functions = {name: i + 1 for i, name in enumerate(NAMES)}
    locations = {}
    for at, (stack, amount) in enumerate(STACKS):
        frames, ids = list(reversed(stack)), []
        while frames:
            place = tuple(frames[:2] if len(frames) > 1 and at % 3 == 0 else frames[:1])
            frames = frames[len(place):]
            ids.append(locations.setdefault(place, 1000 + len(locations)))
        if at % 2 == 0:
            data += piece(2, piece(1, b"".join(map(varint, ids))) + piece(2, varint(amount) + varint(1)))
        else:
            data += piece(2, b"".join(number(1, one) for one in ids) + number(2, amount) + number(2, 1))
    for place, identity in locations.items():
        data += piece(4, number(1, identity) + number(3, 0x1000 + identity)
                      + b"".join(piece(4, number(1, functions[name]) + number(2, 7)) for name in place))
    for name, identity in functions.items():
        data += piece(5, number(1, identity) + number(2, strings.index(name)) + number(4, len(strings) - 1))
    return data + b"".join(piece(6, text.encode()) for text in strings) + number(14, 1)


def make():
    with open("x.folded", "w", encoding="utf-8") as file:
        file.writelines(f"{';'.join(stack)} {amount}\n" for stack, amount in STACKS)
    data = profile()
    open("x.pb", "wb").write(data)
    open("x.pb.gz", "wb").write(gzip.compress(data))


def check(name):
    scale = 1 if name == "x.folded" else 1000
    seen_total, seen_own = {}, {}
    for row in csv.DictReader(open(f"{name}.csv", newline="", encoding="utf-8")):
        text = row["name"].lstrip("'")
        seen_total[text] = seen_total.get(text, 0) + int(row["total_ns"])
        seen_own[text] = seen_own.get(text, 0) + int(row["self_ns"])
    total, own = totals()
    for want, seen in ((total, seen_total), (own, seen_own)):
        want = {key: scale * value for key, value in want.items()}
        seen = {key: value for key, value in seen.items() if value}
        assert seen == want, {key: (seen.get(key), want.get(key)) for key in seen.keys() | want.keys() if seen.get(key) != want.get(key)}


{"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
