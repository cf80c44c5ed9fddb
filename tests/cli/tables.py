# SPDX-License-Identifier: MIT
"""What the tables of hostlink stats must have. python3 tables.py WHAT ... [, WHAT ...], in a folder with x.csv and
x.json, the table as CSV and as JSON, and x.events.csv."""
import bisect
import collections
import csv
import json
import math
import os
import statistics
import sys

import schema


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def same(table):
    """JSON has the rows of CSV, by the same names, and is as its schema says."""
    top = os.path.dirname(os.path.abspath(__file__)) + "/../.."
    faults = schema.check(top + "/hostlink/doc/stats.schema.json", "x.json")
    assert not faults, faults
    rows, others = read("x.csv"), json.load(open("x.json"))[table]
    assert len(rows) == len(others), (len(rows), len(others))
    for row, other in zip(rows, others):
        assert row.keys() <= other.keys(), (row, other)
        for key, text in row.items():
            value = other[key]
            assert text == ("" if value is None else value) or float(text) == value, (key, text, value)

INTERRUPTS = ("timer", "gpio")


class Times:
    """Durations as they come: (how long, since when, where)."""

    def __init__(self):
        self.all = []

    def add(self, begin, end, where):
        self.all.append((end - begin, begin, where))

    def check(self, row, **keys):
        """keys: what the table calls a value -> its name here."""
        times = sorted(time for time, _, _ in self.all)
        longest = max(self.all, key=lambda one: one[0], default=None)
        exact = {"count": len(times), "total": sum(times), "mean": sum(times) // max(len(times), 1)}
        if longest:
            exact |= {"min": times[0], "max": longest[0], "max_at": longest[1], "max_on": longest[2]}
        for key, value in keys.items():
            if value in exact:
                assert row[key] == str(exact[value]), (row, key, exact[value])
            elif value[0] == "p" and times:
                rank = max(-(-len(times) * int(value[1:]) // 100), 1)
                assert abs(int(row[key]) - times[rank - 1]) <= times[rank - 1] / 64 + 1, (row, key, times[rank - 1])


def near(text, value, part=1e-6):
    assert abs(float(text) - value) <= abs(value) * part + 1e-4, (text, value)


def events():
    rows = read("x.events.csv")
    for row in rows:
        row["time_ns"] = int(row["time_ns"])
    return rows, max(row["time_ns"] for row in rows)


def by_name(sets):
    rows = {row["name"]: row for row in read("x.csv")}
    assert rows and rows.keys() == sets.keys(), (rows.keys(), sets.keys())
    return [(rows[name], of) for name, of in sets.items()]


def frames(late_ns=None):
    sets, last = {}, {}
    rows, end = events()
    for row in rows:
        if row["kind"] in ("frame", "frame end") and row["name"] in last:
            sets.setdefault(row["name"], Times()).add(last[row["name"]], row["time_ns"], row["context"])
        if row["kind"] in ("frame", "frame start"):
            last[row["name"]] = row["time_ns"]
    for row, times in by_name(sets):
        times.check(row, count="count", mean_ns="mean", min_ns="min", p50_ns="p50", p99_ns="p99", max_ns="max",
                    max_at_ns="max_at", max_on="max_on")
        near(row["rate_hz"], 1e9 * len(times.all) / end)
        if late_ns:
            late = sum(one[0] > int(late_ns) for one in times.all)
            assert row["late"] == str(late) and late > 0, (row, late)
            near(row["late_percent"], 100 * late / len(times.all), 1e-2)


def silences(count):
    """The longest times between two events that a core recorded."""
    last, all = {}, []
    for row in events()[0]:
        if row["kind"] in ("session", "track", "repair", "gap") or row["core"] == "":
            continue
        before = last.get(row["core"])
        if before and row["time_ns"] > before["time_ns"]:
            all.append((before["time_ns"] - row["time_ns"], len(all), before, row))
        last[row["core"]] = row
    want = [(str(-ns), str(a["time_ns"]), a["core"], a["context"], a["kind"], a["name"], b["kind"], b["name"], b["context"])
            for ns, _, a, b in sorted(all, key=lambda one: one[:2])[:int(count)]]
    have = [tuple(row.values()) for row in read("x.csv")]
    assert have == want, [pair for pair in zip(have, want) if pair[0] != pair[1]][:2]


def interrupts():
    names, sets, own, windows = INTERRUPTS, {}, {}, {}
    stack, since, deepest = [], None, {}
    rows, end = events()
    for row in (row for row in rows if row["kind"] == "switch"):
        now, to = row["time_ns"], row["context"]
        if stack:
            own[stack[-1][0]] = own.get(stack[-1][0], 0) + now - since
        while stack and to not in [name for name, _ in stack] and to not in names or stack and to in [
                name for name, _ in stack] and stack[-1][0] != to:
            name, begin = stack.pop()
            sets.setdefault(name, Times()).add(begin, now, name)
            windows.setdefault(name, {}).setdefault(begin // 10000000, []).append(begin)
        if to in names and (not stack or stack[-1][0] != to):
            stack.append((to, now))
            deepest[to] = max(deepest.get(to, 0), len(stack))
        since = now
    for row, times in by_name(sets):
        name = row["name"]
        times.check(row, count="count", total_ns="total", mean_ns="mean", p99_ns="p99", max_ns="max", max_at_ns="max_at")
        counts = sorted(len(entries) for entries in windows[name].values())
        busiest = max(windows[name], key=lambda window: (len(windows[name][window]), -window))
        assert row["deepest"] == str(deepest[name]), (row, deepest)
        assert row["self_ns"] == str(own[name]), (row, own)
        assert row["peak"] == str(counts[-1]) and row["peak_at_ns"] == str(busiest * 10000000), (row, counts, busiest)
        assert row["usual"] == str(counts[(len(counts) + 1) // 2 - 1]), (row, counts)
        near(row["core_percent"], 100 * own[name] / end)


def task_runs():
    """From the switch to a task until that to another one, without interrupts; what never ended so does not count."""
    runs, task, begin, own, before = {}, None, 0, 0, (None, 0)
    for row in (row for row in events()[0] if row["kind"] == "switch"):
        now, to = row["time_ns"], row["context"]
        own += now - before[1] if before[0] == task else 0
        before = (to, now)
        if to not in INTERRUPTS and to != task:
            runs.setdefault(task, Times()).add(begin, begin + own, task)
            task, begin, own = to, now, 0
    return runs


def locks():
    waits, holds, waiting, held, gave, blamed = {}, {}, {}, {}, {}, {}
    for row in events()[0]:
        key, now = (row["context"], row["name"]), row["time_ns"]
        if row["kind"] == "lock wait":
            waiting[key] = now
        elif row["kind"] == "lock obtain":
            if key in waiting:
                waits.setdefault(row["name"], Times()).add(waiting.pop(key), now, row["context"])
                blamed[waits[row["name"]].all[-1]] = gave.get(row["name"])
            held[key] = now
        elif row["kind"] == "lock release":
            holds.setdefault(row["name"], Times()).add(held.pop(key), now, row["context"])
            gave[row["name"]] = row["context"]
    for row, times in by_name(holds):
        times.check(row, holds="count", hold_total_ns="total", hold_mean_ns="mean", hold_max_ns="max",
                    hold_max_at_ns="max_at", hold_max_on="max_on")
        waited = waits.get(row["name"], Times())
        waited.check(row, waits="count", wait_total_ns="total", wait_max_ns="max", wait_max_at_ns="max_at",
                     wait_max_on="max_on")
        if waited.all:
            assert row["wait_max_for"] == blamed[max(waited.all, key=lambda one: one[0])], row
        near(row["contended_percent"], 100 * len(waited.all) / len(times.all), 1e-3)


def plots():
    sets = {}
    for row in events()[0]:
        if row["kind"] == "plot":
            sets.setdefault(row["name"], []).append((float(row["value"]), row["time_ns"]))
    for row, values in by_name(sets):
        numbers = [value for value, _ in values]
        top = max(values, key=lambda one: one[0])
        assert row["count"] == str(len(values))
        assert [float(row[key]) for key in ("first", "last", "min", "max")] == [
            numbers[0], numbers[-1], min(numbers), max(numbers)], row
        assert row["max_at_ns"] == str(top[1]), (row, top)
        near(row["mean"], sum(numbers) / len(numbers))


def memory():
    pools = {}
    for row in events()[0]:
        pool = pools.setdefault(row["name"], {"live": {}, "allocs": 0, "frees": 0, "bytes": 0, "most": (0, 0), "again": 0,
                                              "unknown": 0}) if row["kind"] in ("alloc", "free") else None
        if row["kind"] == "alloc":
            address = row["text"]
            pool["allocs"] += 1
            pool["bytes"] += int(row["value"])
            pool["live"][address] = int(row["value"])
            pool["most"] = max(pool["most"], (sum(pool["live"].values()), row["time_ns"]), key=lambda one: one[0])
        elif row["kind"] == "free":
            address, again = row["text"].split(" ")[0], " " in row["text"]
            pool["again" if again else "frees"] += 1
            pool["unknown"] += address not in pool["live"]
            pool["live"].pop(address, None)
    for row, pool in by_name(pools):
        want = {"allocs": pool["allocs"], "frees": pool["frees"], "bytes": pool["bytes"], "live": len(pool["live"]),
                "live_bytes": sum(pool["live"].values()), "most_bytes": pool["most"][0], "most_at_ns": pool["most"][1],
                "allocated_again": pool["again"], "unknown_frees": pool["unknown"]}
        assert {key: int(row[key]) for key in want} == want, (row, want)


def messages(*parts):
    want = [(str(row["time_ns"]), row["context"], row["text"]) for row in events()[0]
            if row["kind"] == "message" and all(part in row["text"] for part in parts)]
    have = [(row["at_ns"], row["context"], row["text"]) for row in read("x.csv")]
    assert have == want and want, (have, want)


def slices_of(rows):
    """What the one core ran: (name, from, to), and entries of interrupts: (name, from, to)."""
    switches = [(row["time_ns"], row["context"]) for row in rows if row["kind"] == "switch"]
    end = max(row["time_ns"] for row in rows)
    slices = [(name, now, then) for (now, name), (then, _) in zip(switches, switches[1:] + [(end, "")])]
    entries, stack = [], []
    for now, name in switches:
        while stack and stack[-1][0] != name and (name not in INTERRUPTS or name in [entered for entered, _ in stack]):
            entries.append(stack.pop() + (now,))
        if name in INTERRUPTS and (not stack or stack[-1][0] != name):
            stack.append((name, now))
    return slices, entries


def zones_of(rows):
    """(name, from, to, context, zones right inside it), in the order of their ends."""
    stacks, zones = {}, []
    for row in rows:
        stack = stacks.setdefault(row["context"], [])
        if row["kind"] == "zone begin":
            stack.append((row["name"], row["time_ns"], []))
        elif row["kind"] == "zone end":
            name, begin, inside = stack.pop()
            assert name == row["name"], row
            zones.append((name, begin, row["time_ns"], row["context"], inside))
            if stack:
                stack[-1][2].append(zones[-1])
    return zones


def overlap(one, other):
    return max(min(one[2], other[2]) - max(one[1], other[1]), 0)


def longest(count, pattern):
    """Each of the longest runs has in it what the events say that it has."""
    rows, _ = events()
    slices, entries = slices_of(rows)
    waits, waiting, gave = [], {}, {}
    for row in rows:
        key = (row["context"], row["name"])
        if row["kind"] == "lock wait":
            waiting[key] = row["time_ns"]
        elif row["kind"] == "lock obtain" and key in waiting:
            waits.append((row["name"], waiting.pop(key), row["time_ns"], row["context"], gave[row["name"]]))
        elif row["kind"] == "lock release":
            gave[row["name"]] = row["context"]
    of_waits, pattern = pattern.startswith("lock:"), pattern.removeprefix("lock:")
    runs = [one for one in (waits if of_waits else zones_of(rows)) if pattern in ("all", one[0])]
    runs = sorted(runs, key=lambda one: one[1] - one[2])[:int(count)]
    have, want = {}, {}
    for row in read("x.csv"):
        key = (int(row["rank"]), row["part"], row["name"])
        assert key not in have, row
        have[key] = (row["zone"], row["total_ns"], row["at_ns"], row["on"], row["count"], row["part_ns"], row["held_by"])
    for rank, run in enumerate(runs, 1):
        name, begin, end, context = run[:4]
        inside = [] if of_waits else run[4]
        parts = {}

        def add(part, what, times, ns, held_by=""):
            before = parts.get((part, what), (0, 0))
            parts[part, what] = (before[0] + times, before[1] + ns, held_by)

        others = [one for one in slices if one[0] != context and overlap(one, run)]
        for one in others:
            add("interrupt" if one[0] in INTERRUPTS else "other task", one[0], one[0] not in INTERRUPTS, overlap(one, run))
        for one in entries:
            if overlap(one, run):
                add("interrupt", one[0], 1, 0)
        for zone in inside:
            add("zone", zone[0], 1, zone[2] - zone[1])
        for wait in waits:
            if wait[3] == context and wait[1] >= begin and wait[2] <= end:
                add("wait for", wait[0], 1, wait[2] - wait[1], wait[4])
        own = end - begin - sum(zone[2] - zone[1] for zone in inside) - sum(
            overlap(one, run) - sum(overlap(one, zone) for zone in inside) for one in others)
        if not of_waits:
            add("itself", "", 1, own)
        for (part, what), (times, ns, held_by) in parts.items():
            want[rank, part, what] = (name, str(end - begin), str(begin), context, str(times), str(ns), held_by)
    assert have == want, [(key, have.get(key), want.get(key)) for key in have.keys() | want.keys()
                          if have.get(key) != want.get(key)]
    assert len(runs) == int(count)


def zones():
    """All of the table of zones. Its JSON has the percentiles too."""
    rows, last = events()
    slices, _ = slices_of(rows)
    since, sets = [one[1] for one in slices], {}
    for zone in zones_of(rows):
        name, begin, end, context, inside = zone
        others = [one for one in slices[max(bisect.bisect(since, begin) - 1, 0):bisect.bisect(since, end)] if one[0] != context]
        own = end - begin - sum(one[2] - one[1] for one in inside) - sum(
            overlap(one, zone) - sum(overlap(one, child) for child in inside) for one in others)
        times, owns = sets.setdefault(name, (Times(), []))
        times.add(begin, end, context)
        owns.append(own)
    percentiles = {row["name"]: row for row in json.load(open("x.json"))["zones"]}
    for row, (times, owns) in by_name(sets):
        times.check(row, counts="count", total_ns="total", mean_ns="mean", min_ns="min", max_ns="max")
        times.check(percentiles[row["name"]], p50_ns="p50", p99_ns="p99")
        near(row["std_ns"], statistics.stdev(one[0] for one in times.all))
        near(row["total_perc"], 100 * int(row["total_ns"]) / last)
        assert (row["self_ns"], row["repaired"]) == (str(sum(owns)), "0"), (row, sum(owns))


def stacks():
    """Zones by callers and by callees, blocks by the zones around their allocation. Self times are those of zones()."""
    rows, want, open_zones, live = events()[0], {}, {}, {}

    def add(key, **more):
        counts = want.setdefault(key, dict.fromkeys(("count", "total_ns", "frees", "bytes", "live", "live_bytes"), 0))
        for name, value in more.items():
            counts[name] += value

    def free(block):
        if block in live:
            key, size = live.pop(block)
            add(key, frees=1, live=-1, live_bytes=-size)

    for row in rows:
        around = open_zones.setdefault(row["context"], [])
        names = " < ".join(f"'{name}'" for name, _ in reversed(around))
        block = (row["name"], row["text"].split(" ")[0])
        if row["kind"] == "zone begin":
            around.append((row["name"], row["time_ns"]))
        elif row["kind"] == "zone end":
            name, begin = around.pop()
            took = row["time_ns"] - begin
            add(("caller", name, "", " < ".join(f"'{one}'" for one, _ in reversed(around))), count=1, total_ns=took)
            if around:
                add(("callee", around[-1][0], name, ""), count=1, total_ns=took)
        elif row["kind"] == "alloc":
            free(block)
            key, size = ("allocation", row["name"], "", names), int(row["value"])
            live[block] = (key, size)
            add(key, count=1, bytes=size, live=1, live_bytes=size)
        elif row["kind"] == "free":
            free(block)
    have = {(row["table"], row["name"], row["inside"], row["stack"]): row for row in read("x.csv")}
    assert have.keys() == want.keys() and {key[0] for key in have} == {"caller", "callee", "allocation"}, (have.keys(), want.keys())
    for key, counts in want.items():
        assert {name: int(have[key][name]) for name in counts} == counts, (key, have[key], counts)


def samples():
    """By function, and by function with what it called: once in a stack, however often it is in it."""
    stacks = [row["stack"].split(" ") for row in events()[0] if row["kind"] == "sample"]
    inner = collections.Counter(stack[0] for stack in stacks)
    with_calls = collections.Counter(function for stack in stacks for function in set(stack))
    have = {row["function"]: row for row in read("x.csv")}
    assert have.keys() == with_calls.keys() and len(have) > 5, (have.keys(), with_calls.keys())
    for name, row in have.items():
        assert (int(row["samples"]), int(row["with_calls"])) == (inner[name], with_calls[name]), row
        near(row["percent"], 100 * inner[name] / len(stacks), 1e-4)
        near(row["with_calls_percent"], 100 * with_calls[name] / len(stacks), 1e-4)


def selected(begin, end, zone, context):
    """The table of zones has those that lie whole in a part of the capture."""
    rows, last = events()
    begin, end = int(begin), int(end)
    sums = {}
    for name, since, until, where, _ in zones_of(rows):
        if since >= begin and until <= end and name.startswith(zone) and where.startswith(context):
            sums.setdefault(name, []).append(until - since)
    have = {row["name"]: (row["counts"], row["total_ns"], row["max_ns"]) for row in read("x.csv")}
    want = {name: (str(len(all)), str(sum(all)), str(max(all))) for name, all in sums.items()}
    assert have == want and want, (have, want)
    for row in read("x.csv"):
        near(row["total_perc"], 100 * int(row["total_ns"]) / (min(end, last) - begin))


def cut(begin, end, zone):
    """part.events.csv has of x.events.csv what begins in a part, whole, and what ran when it begins."""
    begin, end, inside, open_zones, kept = int(begin), int(end), [], {}, {}
    for row in read("x.events.csv"):
        now, kind, key = int(row["time_ns"]), row["kind"], (row["context"], row["name"])
        here, zones = begin <= now <= end, open_zones.setdefault(row["context"], [])
        if kind in ("session", "track", "track end"):
            continue
        if kind == "zone begin":
            zones.append(here and row["name"].startswith(zone))
            here = zones[-1]
        elif kind == "zone end":
            here = zones.pop()
        elif kind in ("zone text", "zone name", "zone value", "zone color"):
            here = bool(zones) and zones[-1]
        elif kind in ("frame end", "lock release", "free"):
            key = row["value"] if kind == "free" else key
            here = kept.pop(key, False) and (here or kind != "free")
        if kind in ("frame start", "lock obtain", "alloc"):
            kept[row["value"] if kind == "alloc" else key] = here
        if here:
            row["value"] = "" if kind == "lock obtain" else row["value"]
            inside.append(row)
    have = [row for row in read("part.events.csv") if row["kind"] not in ("session", "track", "track end")]
    for row in have:
        row["value"] = "" if row["kind"] == "lock obtain" else row["value"]
    if have[0]["kind"] == "switch" and have[0]["time_ns"] == str(begin):
        before = [row for row in read("x.events.csv") if row["kind"] == "switch" and int(row["time_ns"]) < begin]
        assert have.pop(0)["context"] == before[-1]["context"]
    assert len(have) > 100 and have == inside, [pair for pair in zip(have, inside) if pair[0] != pair[1]][:2]


def when(kind, text):
    """The time of the first message with a text, or of the n-th frame."""
    rows = events()[0]
    found = [row["time_ns"] for row in rows if kind == "message" and row["kind"] == "message" and text in row["text"]
             or kind == "frame" and row["kind"] in ("frame", "frame start")]
    print(found[0] if kind == "message" else found[int(text) - 1])


def batches_of(times):
    size = 1
    while len(times) // size >= 32:
        size *= 2
    return size, [sum(times[at:at + size]) / size for at in range(0, len(times) // size * size, size)]


def t_of(before, after):
    (size, old), (other, new) = batches_of(before), batches_of(after)
    if min(len(old), len(new)) < 8:
        return None
    if (size, len(old)) == (other, len(new)):
        differences = [b - a for a, b in zip(old, new)]
        mean, scatter = statistics.mean(differences), statistics.variance(differences) / len(old)
    else:
        mean = statistics.mean(new) - statistics.mean(old)
        scatter = statistics.variance(old) / len(old) + statistics.variance(new) / len(new)
    return 0.0 if mean == 0 else mean / math.sqrt(scatter) if scatter > 0 else math.inf


def compared(*differ):
    """The zones of old.events.csv and new.events.csv side by side; "differ": the names of those that are slower,
    with _ for blanks."""
    series = []
    for name in ("old", "new"):
        os.replace(name + ".events.csv", "x.events.csv")
        series.append({})
        for zone, begin, end, _, _ in zones_of(events()[0]):
            series[-1].setdefault(zone, []).append(end - begin)
    rows = {row["name"]: row for row in read("x.csv") if row["kind"] == "zone"}
    assert rows.keys() == series[0].keys() | series[1].keys()
    for name, row in rows.items():
        old, new = series[0][name], series[1][name]
        want = (len(old), len(new), sum(old) // len(old), sum(new) // len(new), max(old), max(new), sum(new) - sum(old))
        have = tuple(int(row[key]) for key in ("count_before", "count_after", "mean_before_ns", "mean_after_ns",
                                               "max_before_ns", "max_after_ns", "total_change_ns"))
        assert have == want, (row, want)
        near(row["mean_percent"], 100 * (sum(new) / len(new) * len(old) / sum(old) - 1))
        t = t_of(old, new)
        if t is None or math.isinf(t):
            assert row["t"] in ("", "inf"), (row, t)
        else:
            assert abs(float(row["t"]) - t) <= abs(t) * 1e-5 + 1e-3, (row, t)
    slower = {row["name"] for row in rows.values() if row["result"] == "slower"}
    assert slower == {name.replace("_", " ") for name in differ}, (slower, differ)


def limits():
    """What hostlink check measured is what the tables have, which the tests of these reckon from the events."""
    tables = {kind: {row["name"]: row for row in read(kind + "s.csv")} for kind in ("zone", "frame", "interrupt", "lock", "plot")}
    zones = {}
    for row in events()[0]:
        if row["kind"] == "zone end":
            zones.setdefault(row["name"], Times()).add(row["time_ns"] - int(row["value"]), row["time_ns"], row["context"])
    keys = {"zone": {"max": "max_ns", "mean": "mean_ns", "count": "counts", "share": "total_perc"},
            "interrupt": {"share": "core_percent"}, "lock": {"wait-count": "waits", "hold-count": "holds"},
            "frame": {}, "plot": {}}
    rows, over, runs = read("x.csv"), set(), task_runs()
    for row in rows:
        kind, name, word, value = row["kind"], row["name"], row["limit_of"], float(row["measured"])
        if row["result"] == "over":
            over.add((kind, name, word))
        assert (row["result"] == "over") == (value < float(row["limit"]) if word == "min" else value > float(row["limit"])), row
        if kind in ("loss", "ring") or name == "never":
            assert value == 0 or kind == "ring", row
        elif kind == "task":
            runs[name].check({word: f"{value:.0f}"} | {"at": row["worst_at_ns"]},
                             **{word: word.replace("run-", "")}, **({"at": "max_at"} if word == "run-max" else {}))
        elif (kind, word) == ("zone", "p99"):
            zones[name].check({"p99": value}, p99="p99")
        else:
            key = keys[kind].get(word, word.replace("-", "_") + ("" if kind == "plot" or word == "count" else "_ns"))
            near(tables[kind][name][key], value, 1e-9)
        if kind == "zone" and name in zones:
            longest = max(zones[name].all, key=lambda one: one[0])
            assert (row["worst_at_ns"], row["worst_on"]) == (str(longest[1]), longest[2]), (row, longest)
    assert over == {("zone", "parse", "count"), ("lock", "bus", "hold-count"), ("plot", "queue", "max"),
                    ("plot", "volts", "min")}, over
    assert len(rows) == 31, len(rows)


what, *arguments = sys.argv[1:] if __name__ == "__main__" else [None]
while what:
    end = arguments.index(",") if "," in arguments else len(arguments)
    globals()[what](*arguments[:end])
    what, *arguments = arguments[end + 1:] or [None]
