# SPDX-License-Identifier: MIT
"""Best Trace Format 2.2, read by its specification: btf.py FILE.btf FILE.events.csv. Each line has its seven or eight
fields, times do not go back, processes, runnables and semaphores go by their state charts, and what they did is what
the table of events has. Or: btf.py make MULTI, a file as another program writes it, on one core or on two."""
import csv
import re
import sys

PROCESS = {"activate": ("terminated", "active"), "start": ("active", "running"), "preempt": ("running", "ready"),
           "resume": ("ready", "running"), "wait": ("running", "waiting"), "release": ("waiting", "ready"),
           "terminate": ("running", "terminated")}
RUNNABLE = {"start": ("terminated", "running"), "suspend": ("running", "suspended"), "resume": ("suspended", "running"),
            "terminate": ("running", "terminated")}


def lines_of(path):
    lines = open(path, encoding="utf-8", newline="").read().split("\n")
    assert lines[0] == "#version 2.2.0" and lines.pop() == ""
    assert sum(line.lower() == "#timescale ns" for line in lines) == 1
    for line in lines:
        if line.startswith("#"):
            assert line.startswith("# ") or line.split()[0] in ("#version", "#creator", "#creationDate", "#timeScale"), line
            continue
        fields = line.split(",", 7)
        assert len(fields) >= 7 and all(fields[:7]) and re.fullmatch("[0-9]+", fields[0]), line
        yield int(fields[0]), fields[1], int(fields[2]), fields[3], fields[4], int(fields[5]), fields[6], fields[7:]


def read(path):
    """(runs, zones, values, holds) by names; each as the file tells it."""
    now, states, since, kinds, stimuli = 0, {}, {}, {}, {}
    runs, zones, values, holds, running = {}, [], [], [], {}
    for time, source, source_instance, kind, target, instance, event, note in lines_of(path):
        assert time >= now, (time, now)
        now = time
        assert kinds.setdefault(target, kind) == kind, (target, kind)
        key = (target, instance)
        if kind == "STI":
            assert event == "trigger" and (source, source_instance) == key and instance == stimuli.get(target, -1) + 1
            stimuli[target] = instance
        elif kind in ("T", "I"):
            before, after = PROCESS[event]
            assert states.get(target, "terminated") == before, (time, target, event, states.get(target))
            states[target] = after
            if event == "activate":
                assert kinds[source] == "STI" and stimuli[source] == source_instance == instance
            else:
                assert re.fullmatch("Core_[0-9]+", source) and source_instance == 0 and not note
            if after == "running":
                assert running.setdefault(source, target) == target, (time, source, running, target)
                since[target] = time
            elif before == "running":
                assert running.pop(source) == target
                assert not any(states[zone] == "running" for zone in states if isinstance(zone, tuple) and zone[2] == target)
                runs[target] = runs.get(target, 0) + time - since[target]
        elif kind == "R":
            before, after = RUNNABLE[event]
            assert states.get(source) == "running", (time, source, target, event)
            assert states.get((*key, source), "terminated") == before
            states[(*key, source)] = after
            if event == "start":
                since[key] = time
            elif event == "terminate":
                zones.append((source, target, since[key], time))
                del states[(*key, source)]
        elif kind == "SIG":
            assert event == "write" and instance == 0 and states[source] == "running"
            values.append((time, source, target, note[0]))
        else:
            assert kind == "SEM" and instance == 0 and event in (
                "requestsemaphore", "waiting", "assigned", "released", "lock", "unlock", "overfull"), event
            if event in ("assigned", "released"):
                holds.append((time, source, target, event))
    return runs, zones, values, holds


def check(path, events):
    runs, zones, values, holds = read(path)
    rows = list(csv.DictReader(open(events, newline="")))
    want, begun, last = [], {}, {}
    for row in rows:
        now = int(row["time_ns"])
        if row["kind"] == "zone begin":
            begun.setdefault(row["context"], []).append(now)
        elif row["kind"] == "zone end":
            want.append((row["context"], row["name"], begun[row["context"]].pop(), now))
        elif row["kind"] == "switch":
            # A task that another core goes on with has left the one before.
            for core in [row["core"], *(core for core, one in last.items() if core != row["core"] and one[0] == row["context"])]:
                before = last.pop(core, None)
                if before:
                    runs[before[0]] = runs.get(before[0], 0) - now + before[1]
            last[row["core"]] = (row["context"], now)
    assert sorted(zones) == sorted(want), [pair for pair in zip(sorted(zones), sorted(want)) if pair[0] != pair[1]][:2]
    # The last run of each core has no end.
    assert all(value == 0 for value in runs.values()), runs
    want = [(int(row["time_ns"]), row["context"], row["name"], row["value"]) for row in rows if row["kind"] == "plot" and row["value"] != "nan"]
    assert [one[:3] for one in values] == [one[:3] for one in want] and [float(one[3]) for one in values] == [float(one[3]) for one in want]
    want = [(int(row["time_ns"]), row["context"], row["name"], {"lock obtain": "assigned", "lock release": "released"}[row["kind"]])
            for row in rows if row["kind"] == "lock obtain" or row["kind"] == "lock release"]
    assert holds == want, (holds[:2], want[:2])


if __name__ == "__main__":
    check(*sys.argv[1:])
