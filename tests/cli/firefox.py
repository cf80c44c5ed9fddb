# SPDX-License-Identifier: MIT
"""A profile for Firefox' profiler against the table of events and the one of zones: firefox.py FILE.firefox.json
FILE.events.csv FILE.csv. The columns are those of the processed format of version 63 (firefox-devtools/profiler,
src/types/profile.ts): of equal length, with each index in its table."""
import csv
import json
import sys

NULLABLE = {"prefix", "source", "file", "stack"}
INDEX = {"stack": "stackTable", "prefix": "stackTable", "frame": "frameTable", "func": "funcTable", "source": "sources"}
FRAMES = {"address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "line", "column"}
FUNCS = {"name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber"}
SOURCES = {"id", "filename", "startLine", "startColumn", "sourceMapURL"}


def table(of, columns, shared):
    assert of.keys() - {"weightType"} == columns | {"length"}, of.keys()
    for key in columns:
        assert len(of[key]) == of["length"], (key, of["length"])
        if key in INDEX:
            count = shared[INDEX[key]]["length"]
            assert all(value is None and key in NULLABLE or 0 <= value < count for value in of[key]), key


def functions_of(stack, shared):
    while stack is not None:
        frame = shared["stackTable"]["frame"][stack]
        yield shared["stringArray"][shared["funcTable"]["name"][shared["frameTable"]["func"][frame]]]
        parent = shared["stackTable"]["prefix"][stack]
        assert parent is None or parent < stack
        stack = parent


def read(path):
    profile = json.load(open(path, encoding="utf-8"))
    shared, meta = profile["shared"], profile["meta"]
    assert meta["preprocessedProfileVersion"] == 63 and meta["categories"][0]["color"] == "grey"
    table(shared["stackTable"], {"frame", "prefix"}, shared)
    table(shared["frameTable"], FRAMES, shared)
    table(shared["funcTable"], FUNCS, shared)
    table(shared["sources"], SOURCES, shared)
    assert {thread["isMainThread"] for thread in profile["threads"] if thread["pid"] == "1"} <= {True, False}
    return profile, shared, shared["stringArray"]


def ns(ms):
    return round(ms * 1e6)


profile, shared, strings = read(sys.argv[1])
types = {schema["name"] for schema in profile["meta"]["markerSchema"]}
own, zones, texts = {}, [], []
for thread in profile["threads"]:
    samples, markers = thread["samples"], thread["markers"]
    table(samples, {"stack", "time", "weight"}, shared)
    table(markers, {"name", "startTime", "endTime", "phase", "category", "data"}, shared)
    assert samples["time"] == sorted(samples["time"]) and samples["weightType"] == "tracing-ms"
    for stack, weight in zip(samples["stack"], samples["weight"]):
        if stack is not None and not thread["name"].endswith(", samples"):
            name = next(functions_of(stack, shared))
            own[name] = own.get(name, 0) + ns(weight)
    for i, data in enumerate(markers["data"]):
        assert data["type"] in types and markers["phase"][i] == (data["type"] != "message")
        name, text = strings[markers["name"][i]], strings[data["text"]] if "text" in data else ""
        if data["type"] == "zone":
            zones.append((thread["name"], name, ns(markers["startTime"][i]), ns(markers["endTime"][i])))
        elif data["type"] == "message":
            texts.append((thread["name"], ns(markers["startTime"][i]), text))
rows = list(csv.DictReader(open(sys.argv[2], newline="")))
want = [(row["context"][:32], row["name"], int(row["time_ns"]) - int(row["value"]), int(row["time_ns"])) for row in rows if row["kind"] == "zone end"]
assert sorted(zones) == sorted(want) and zones, (len(zones), len(want))
said = {(row["context"], int(row["time_ns"]), row["text"]) for row in rows if row["kind"] == "message"}
assert said <= set(texts), said - set(texts)
whole = not any(row["kind"] in ("gap", "lost") or "lost" in row["kind"] for row in rows)
for row in csv.DictReader(open(sys.argv[3], newline="")):
    if whole and row["repaired"] == "0":
        assert own[row["name"]] == int(row["self_ns"]), (row["name"], own[row["name"]], row["self_ns"])
curves = {}
for row in rows:
    if row["kind"] == "plot":
        curves.setdefault(row["name"], []).append((int(row["time_ns"]), float(row["value"])))
for name, values in curves.items():
    (counter,) = [one for one in profile["counters"] if one["name"] == name and one["category"] == "Plot"]
    value, have = 0.0, []
    for change in counter["samples"]["count"]:
        value += change
        have.append(value)
    assert [ns(time) for time in counter["samples"]["time"]] == [time for time, _ in values]
    assert all(abs(a - b) <= 1e-6 * max(abs(b), 1) for a, (_, b) in zip(have, values)), name
