# SPDX-License-Identifier: MIT
"""States of tasks as Perfetto's trace processor has them, against the rows of events.csv of the same capture.

Usage: tasks.py HOSTLINK FOLDER. Exit status 1 and a line for what is wrong.
"""
import collections
import csv
import pathlib
import re
import subprocess
import sys

import outputs

sys.path.insert(0, str(outputs.HERE.parent / "cli"))
import task_scenes  # noqa: E402

CURVES = """
    select k.name, c.ts, c.value from counter c join counter_track k on c.track_id = k.id
    where k.name glob 'level: *' or k.name glob 'stack never used: *' order by 1, 2"""
QUERIES = {
    "complaints": outputs.BOTH_QUERIES["complaints"],
    "order": """
        select name, value from stats where value > 0 and (name glob '*task_state*' or name = 'spurious_sched_wakeup')""",
    "states": """
        select t.name, s.state, count(*), sum(s.dur) from thread_state s join thread t using (utid)
        where s.dur >= 0 and s.state is not null and s.state <> 'X' group by 1, 2""",
    "schedulings": "select t.name, count(*) from sched join thread t using (utid) group by 1",
    "priorities": "select t.name, min(s.priority) from sched s join thread t using (utid) group by 1",
    "wakers": """
        select t.name, w.name, count(*) from thread_state s join thread t using (utid)
        join thread w on w.utid = s.waker_utid group by 1, 2""",
    "reasons": """
        select t.name, s.blocked_function, count(*) from thread_state s join thread t using (utid)
        where s.state in ('S', 'D') group by 1, 2""",
    "curves": CURVES,
    "locked": "select count(*) from thread_state where state = 'D'",
}
WORDS = {"R": "ready", "Running": "runs", "S": "waits", "D": "waits", "T": "suspended"}
JSON_QUERIES = {
    "curves": CURVES,
    "complaints": outputs.BOTH_QUERIES["complaints"],
    "unfinished": outputs.BOTH_QUERIES["unfinished"],
    "states": """
        select t.name, s.name, count(*) from slice s join thread_track k on s.track_id = k.id join thread t using (utid)
        where s.category = 'task' group by 1, 2""",
    "woken": """
        select t.name, extract_arg(s.arg_set_id, 'args.woken by'), count(*) from slice s join thread_track k
        on s.track_id = k.id join thread t using (utid) where s.name = 'ready' group by 1, 2""",
}
# Events of one time are moved apart by so much at most.
NS_A_ROW = 3


class Rows:
    """What events.csv says of tasks: time and number of each state, and who woke whom."""

    def __init__(self, path):
        self.times, self.counts = collections.Counter(), collections.Counter()
        self.starts, self.woken = collections.Counter(), collections.Counter()
        self.wakers, self.reasons, self.runs = collections.Counter(), collections.Counter(), collections.Counter()
        self.curves = []
        states, running, ended = {}, {}, {}
        with open(path, newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                word = re.fullmatch("task (ready|runs|waits|suspended|over|unknown)", row["kind"])
                if word:
                    self.add(row, states.get(row["context"]), word[1])
                    states[row["context"]] = word[1]
                if row["kind"] in ("object put", "object get", "task stack"):
                    named = f"level: {row['name']}" if row["name"] else f"stack never used: {row['context']}"
                    self.curves.append([named, int(row["time_ns"]), int(row["value"])])
                if row["kind"] == "task runs":
                    # Tasks that ran when the board was reset end for the reader when that core runs something again.
                    if row["core"] in ended:
                        name, since = ended.pop(row["core"])
                        self.times[name, "runs"] += int(row["time_ns"]) - since
                        self.counts[name, "runs"] += 1
                    running[row["core"]] = row["context"], int(row["time_ns"])
                if row["kind"] == "session":
                    ended, running = {**ended, **running}, {}

    def add(self, row, before, state):
        name = row["context"]
        if row["value"] and before:
            self.times[name, before] += int(row["value"])
            self.counts[name, before] += 1
        self.runs[name] += state == "runs"
        if not name.startswith("core ") and state not in ("waits", "unknown", "over"):
            self.starts[f"{name}: state", state] += 1
        woken = re.search(r"woken by (.*)", row["text"])
        if state == "ready" and woken and before == "waits" and woken[1] not in ("interrupt", "tick"):
            self.wakers[name, woken[1]] += 1
        if state == "ready":
            self.woken[f"{name}: state", woken[1] if woken else None] += 1
        if state == "waits":
            held = re.search(r"(held|taken) by ([^:]*)", row["text"])
            nameless = re.fullmatch("(object|semaphore) 0x.*|", row["name"])
            what = row["name"] if nameless else f"lock {row['name']}"
            dead = "deadlock, " if row["text"].endswith(": deadlock") else ""
            self.reasons[name, (what or row["text"]) + (f" ({dead}{held[1]} by {held[2]})" if held else "")] += 1


def same(check, which, seen, expected):
    """Of two tables, what only one of them has."""
    seen, expected = dict(seen), dict(expected)
    check.equal(which, sorted(seen.items() - expected.items()), sorted(expected.items() - seen.items()))


def since_first(curves):
    ordered = sorted(map(list, curves))
    return [[name, time - min(row[1] for row in ordered), value] for name, time, value in ordered]


def check_states(check, states, rows):
    """Without what lasts when the trace ends. In a gap a task that is not running keeps its state, as the trace has none
    for "unknown"."""
    times, counts = collections.Counter(), collections.Counter()
    for name, state, count, time in states:
        if name.startswith("lost ") or name == "events lost":
            continue
        times[name, WORDS[state]] += time
        counts[name, WORDS[state]] += count
    same(check, "numbers of states", counts,
         {key: count for key, count in rows.counts.items() if not key[0].startswith("lost ") and key[1] != "unknown"})
    for key, time in rows.times.items():
        if not key[0].startswith("lost ") and abs(times[key] - time) > NS_A_ROW * rows.counts[key]:
            check.equal(f"time of {key}", times[key], time)


# Reused: as in its own test, but not as many.
SCENES = {**task_scenes.SCENES, "reused": lambda prefix: task_scenes.reused(prefix, tasks=100),
          "kernel": lambda prefix: task_scenes.kernel(prefix, steps=1000).scene}


def capture_of_all():
    """A board that is reset after each of them: a session each, in which the names of tasks tell the scene."""
    capture = b""
    for session, (name, make) in enumerate(SCENES.items(), 8):
        scene = make(f"{name} ")
        scene.session = session
        capture += scene.capture()[8 if capture else 0:]
    return capture


def check_all(folder, wrong):
    capture = folder / "tasks.kymo"
    capture.write_bytes(capture_of_all())
    files = {suffix: capture.with_suffix(suffix) for suffix in (".pftrace", ".json", ".events.csv")}
    subprocess.run([sys.argv[1], "convert", "-q", capture, *(text for path in files.values() for text in ("-o", path))],
                   check=True, stderr=subprocess.DEVNULL)
    rows = Rows(files[".events.csv"])
    outputs.check_schema(files[".pftrace"], wrong)
    answers = outputs.trace_processor(files[".pftrace"], QUERIES)
    check = outputs.Check("tasks", wrong)
    check.equal("complaints", answers["complaints"] + answers["order"], [])
    same(check, "wakers", {(a, b): count for a, b, count in answers["wakers"]}, rows.wakers)
    same(check, "reasons", {(a, b): count for a, b, count in answers["reasons"]}, rows.reasons)
    same(check, "schedulings", {task: count for task, count in answers["schedulings"] if task != "events lost"}, rows.runs)
    check.equal("some levels and stacks", len({name for name, _, _ in rows.curves}), 2)
    check.equal("levels and stacks", since_first(answers["curves"]), since_first(rows.curves))
    check.equal("waits for locks", answers["locked"], [[4]])
    check.equal("priorities", {name: urgent for name, urgent in answers["priorities"] if name.startswith("inversion")},
                {"inversion idle": 0, "inversion logger": 1, "inversion net": 2, "inversion motor": 3})
    check_states(check, answers["states"], rows)
    check_json(check, files[".json"], rows)


def check_json(check, path, rows):
    answers = outputs.trace_processor(path, JSON_QUERIES)
    check.equal("complaints of JSON", answers["complaints"], [])
    check.equal("levels and stacks in JSON", since_first(answers["curves"]),  # a counter's value is called as the counter
                since_first([f"{name} {name}", time, value] for name, time, value in rows.curves))
    check.equal("states that do not end in JSON", answers["unfinished"], [[0]])
    waits = {(f"{name}: state", f"waits: {reason}"): count for (name, reason), count in rows.reasons.items()}
    same(check, "states in JSON", {(a, b): count for a, b, count in answers["states"]}, {**rows.starts, **waits})
    same(check, "wakers in JSON", {(a, b): count for a, b, count in answers["woken"]}, rows.woken)


def main():
    if subprocess.run([outputs.HERE / "fetch.sh"], check=False).returncode != 0:
        sys.exit("the readers are not there")
    wrong = []
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    check_all(folder, wrong)
    print("\n".join(wrong) or "passed")
    sys.exit(bool(wrong))


main()
