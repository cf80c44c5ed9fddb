# SPDX-License-Identifier: MIT
"""Readers of the outputs that show call stacks, written from the formats' own documents. Each gives a dictionary from a
way of names, the outermost first, to a number."""
import collections
import csv
import json


def folded(path):
    sums = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            names, number = line.rstrip("\n").rsplit(" ", 1)
            assert tuple(names.split(";")) not in sums, f"{path}: two lines of {names}"
            sums[tuple(names.split(";"))] = int(number)
    return sums


def speedscope(path, unit):
    with open(path, encoding="utf-8") as file:
        top = json.load(file)
    frames = top["shared"]["frames"]
    sums = collections.Counter()
    for profile in top["profiles"]:
        assert profile["type"] == "sampled" and len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        if profile["unit"] == unit:
            for sample, weight in zip(profile["samples"], profile["weights"]):
                sums[tuple(frames[number]["name"] for number in sample)] += weight
    return sums


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a protobuf message: (number, value), the value an int or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif key & 7 == 2:
            length, at = varint(data, at)
            assert at + length <= len(data), "a message that is cut"
            value, at = data[at:at + length], at + length
        else:
            raise AssertionError(f"wire type {key & 7}")
        yield key >> 3, value


def message(data):
    """The same by number, each with the list of its values."""
    result = collections.defaultdict(list)
    for number, value in fields(data):
        result[number].append(value)
    return result


def pprof(path, kind, default="time"):
    with open(path, "rb") as file:
        top = message(file.read())
    strings = [text.decode() for text in top[6]]
    assert strings[0] == ""
    types = [strings[message(entry)[1][0]] for entry in top[1]]
    assert strings[top[14][0]] == default
    functions = {entry[1][0]: strings[entry[2][0]] for entry in map(message, top[5])}
    locations = {}
    for entry in map(message, top[4]):
        locations[entry[1][0]] = [functions[message(line)[1][0]] for line in entry[4]]
    sums = collections.Counter()
    for sample in map(message, top[2]):
        assert len(sample[2]) == len(types)
        names = [name for number in reversed(sample[1]) for name in reversed(locations[number])]
        value = sample[2][types.index(kind)]
        if value:
            sums[tuple(names)] += value
    return sums


def chrome(path):
    """How many events have each (name, way of functions)."""
    with open(path, encoding="utf-8") as file:
        top = json.load(file)
    frames = top["stackFrames"]

    def way(number):
        names = []
        while number is not None:
            frame = frames[str(number)]
            names.insert(0, frame["name"])
            number = frame.get("parent")
        return tuple(names)

    return collections.Counter((event["name"], way(event["sf"])) for event in top["traceEvents"] if "sf" in event)


def perfetto(path):
    """The same of a Perfetto trace: slices and instants with a call stack, by the interned data of each sequence."""
    with open(path, "rb") as file:
        packets = [message(value) for number, value in fields(file.read()) if number == 1]
    known = collections.defaultdict(lambda: collections.defaultdict(dict))
    counts = collections.Counter()
    for packet in packets:
        tables = known[packet[10][0] if packet[10] else 0]
        for data in packet[12]:
            for kind, entry in fields(data):
                entry = message(entry)
                if kind in (2, 5):  # event names, functions
                    tables[kind][entry[1][0]] = entry[2][0].decode()
                elif kind == 6:  # frames
                    assert entry[3][0] in tables["mapping"] or any(True for _ in message(data)[19])
                    tables[kind][entry[1][0]] = entry[2][0]
                elif kind == 7:
                    tables[kind][entry[1][0]] = entry[2]
                elif kind == 19:
                    tables["mapping"][entry[1][0]] = True
        for event in map(message, packet[11]):
            name = tables[2][event[10][0]] if event[10] else event[23][0].decode() if event[23] else ""
            if event[56]:
                counts[name, tuple(tables[5][tables[6][frame]] for frame in tables[7][event[56][0]])] += 1
            elif event[55]:
                frames = [message(frame) for frame in message(event[55][0])[1]]
                counts[name, tuple(frame[1][0].decode() for frame in frames)] += 1
    return counts


def perfetto_samples(path):
    """How many samples of a Perfetto trace have each way of functions, by the interned data of their sequence."""
    with open(path, "rb") as file:
        packets = [message(value) for number, value in fields(file.read()) if number == 1]
    known = collections.defaultdict(lambda: collections.defaultdict(dict))
    counts = collections.Counter()
    for packet in packets:
        tables = known[packet[10][0] if packet[10] else 0]
        for data in packet[12]:
            for kind, entry in fields(data):
                entry = message(entry)
                tables[kind][entry[1][0]] = (entry[2][0].decode() if kind == 5 else entry[2][0] if kind == 6 else entry[2])
        for sample in map(message, packet[66]):
            assert sample[1] and sample[2] and sample[3]  # cpu, pid, tid
            frames = tables[7][sample[4][0]] if sample[4] else []
            counts[tuple(tables[5][tables[6][frame]] for frame in frames)] += 1
    return counts


def chrome_samples(path):
    with open(path, encoding="utf-8") as file:
        top = json.load(file)
    frames = top["stackFrames"]
    counts = collections.Counter()
    for sample in top["samples"]:
        names, number = [], sample.get("sf")
        while number is not None:
            names.insert(0, frames[str(number)]["name"])
            number = frames[str(number)].get("parent")
        counts[tuple(names)] += sample["weight"]
    return counts


def tables(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
