"""What the tables of hostlink stats must have. python3 tables.py WHAT ..., in a folder with x.csv and x.json, the
table as CSV and as JSON."""
import csv
import json
import sys


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def same(table):
    """JSON has the rows of CSV, by the same names."""
    rows, others = read("x.csv"), json.load(open("x.json"))[table]
    assert len(rows) == len(others), (len(rows), len(others))
    for row, other in zip(rows, others):
        assert row.keys() <= other.keys(), (row, other)
        for key, text in row.items():
            value = other[key]
            assert text == ("" if value is None else value) or float(text) == value, (key, text, value)


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


def frames():
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


def interrupts():
    names, sets, own, windows = ("timer", "gpio"), {}, {}, {}
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
    rows, over = read("x.csv"), set()
    for row in rows:
        kind, name, word, value = row["kind"], row["name"], row["limit_of"], float(row["measured"])
        if row["result"] == "over":
            over.add((kind, name, word))
        assert (row["result"] == "over") == (value < float(row["limit"]) if word == "min" else value > float(row["limit"])), row
        if kind in ("loss", "ring") or name == "never":
            assert value == 0 or kind == "ring", row
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
    assert len(rows) == 23, len(rows)


globals()[sys.argv[1]](*sys.argv[2:])
