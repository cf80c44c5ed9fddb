# SPDX-License-Identifier: MIT
"""What hostlink says of the tasks of kernels whose doings are known (task_scenes.py).

Usage: tasks.py HOSTLINK TEST, where TEST is one of the functions test_* below.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import task_scenes

HOSTLINK = pathlib.Path(sys.argv[1]).resolve()


def hostlink(scene, *arguments, status=0):
    """Standard output of a command on the capture of a scene, which is its standard input."""
    done = subprocess.run([HOSTLINK, *arguments], input=scene.capture(), capture_output=True, check=False)
    if done.returncode != status:
        sys.exit(f"'{' '.join(arguments)}' ended with {done.returncode}: {done.stderr.decode()}")
    if b"repair" in done.stderr and scene.locks_end:
        sys.exit(f"'{' '.join(arguments)}' finds a fault where none is: {done.stderr.decode()}")
    return done.stdout.decode()


def named(output):
    return [line for line in output.splitlines() if re.match("(priority inversion|deadlock|deadline missed|starvation|interrupt storm) ", line)]


def expect(what, seen, expected):
    if seen != expected:
        sys.exit(f"{what}:\n{seen}\nshould be\n{expected}")


WORST = {
    "inversion": "priority inversion at 0.001120 s: task motor waited 24.6 ms for lock bus, held by logger (priority 1), "
                 "while net (2) ran 24.1 ms",
    "deadlock": "deadlock at 0.001030 s: task reader waits for lock bus, held by writer, which waits for lock disk, held "
                "by reader",
    "late": "deadline missed at 0.502050 s: task motor took 6.20 ms, its deadline is 5.00 ms, 2 of 100 were late (one is not "
            "done when the trace ends), while net (5) ran 4.10 ms",
    "starved": "starvation at 0.001500 s: task slow (priority 1) was ready for 350 ms and did not run, while busy (5) "
               "ran 350 ms",
    "storm": "interrupt storm at 1.003008 s: uart came 500 times within 10 ms and took 6.00 ms of core 0, usually 1 time; 1000 "
             "times from 1.003008 s to 1.022988 s, at 50.0 kHz",
    "unfinished": "deadline missed at 0.001040 s: task motor is not done after 9.00 ms when the trace ends, its deadline is 5.00 ms, "
                  "1 of 1 were late, while net (5) ran 8.00 ms",
    "frequent": "interrupt storm at 0.601001 s: uart came 2000 times within 10 ms and took 8.00 ms of core 0, usually 50 times",
    "storms": "interrupt storm at 0.201008 s: uart came 200 times within 10 ms and took 8.00 ms of core 0, usually 0 times; "
              "200 times from 0.201008 s to 0.210958 s, at 20.0 kHz",
    "lost": None,
    "reused": None,
}
ALL = {**task_scenes.SCENES, **task_scenes.OTHERS}


def test_worst():
    """Named below the table of zones, and after a capture, in one line and without an option."""
    for name, line in WORST.items():
        scene = ALL[name]()
        expect(name, named(hostlink(scene, "stats", "-")), [line] if line else [])
    expect("a kernel in order", named(hostlink(task_scenes.kernel().scene, "stats", "-")), [])
    with tempfile.TemporaryDirectory() as folder:
        out = hostlink(task_scenes.inversion(), "capture", "-", "-q", "--no-tracy", "-o", f"{folder}/x.kymo")
    expect("after a capture", named(out), [WORST["inversion"]])


def test_several():
    """Of boards that are shown together each ends where its capture ends, and is what it is alone."""
    seen, expected, worst = {}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("inversion", "late", "storm"):
            (pathlib.Path(folder) / f"{name}.kymo").write_bytes(task_scenes.SCENES[name]().capture())
        files = {path.stem: str(path) for path in sorted(pathlib.Path(folder).glob("*.kymo"))}
        merged = f"{folder}/all.kymo"
        subprocess.run([HOSTLINK, "merge", *files.values(), "-o", merged], check=True, capture_output=True)

        def stats(path, *options):
            return subprocess.run([HOSTLINK, "stats", path, *options], check=True, capture_output=True, text=True).stdout

        def table(path):
            kept = "_ns", "runs", "waits", "preempted", "missed", "jobs", "ready_count"
            return [{key: value for key, value in row.items() if key.endswith(kept) and not key.endswith("_at_ns")}
                    | {"task": row["task"]} for row in csv.DictReader(stats(path, "--tasks", "--csv").splitlines())]
        for name, path in files.items():
            expected |= {f"{name}/{row['task']}": row | {"task": ""} for row in table(path) if row["task"] != "core 0"}
            worst.append(re.sub("(at|from|to) [0-9.]+ s", r"\1", WORST[name]))
        seen = {row["task"]: row | {"task": ""} for row in table(merged) if not row["task"].endswith("/core 0")}
        waits = {row["name"]: row["waits"] for row in csv.DictReader(stats(merged, "--locks", "--csv").splitlines())}
        locks = [waits.get(f"{name}/bus") for name in ("inversion", "late")]
        lines = [re.sub(r"(?:(at|from|to) [0-9.]+ s)|(?:inversion|late|storm)/", r"\1", line) for line in named(stats(merged))]
        subprocess.run([HOSTLINK, "convert", merged, "-o", f"{folder}/x.json"], check=True, capture_output=True)
        end_us = {}
        for line in json.loads(pathlib.Path(folder, "x.json").read_text(encoding="utf-8"))["traceEvents"]:
            if line["ph"] == "E":
                end_us[line["pid"]] = max(end_us.get(line["pid"], 0), line["ts"])
        ends = sorted((task_scenes.SCENES[name]().now - 1000) for name in files)
    expect("rows", sorted(seen), sorted(expected))
    expect("a lock of two boards", locks, [LOCK_WAITS[name]["bus"][0] for name in ("inversion", "late")])
    for name, row in expected.items():
        expect(name, {key: seen[name][key] for key in row}, row)
    expect("the worst", sorted(lines), sorted(re.sub("core 0", "core 2", line) for line in worst))
    expect("ends of all slices", [at for at, end in zip(sorted(end_us.values()), sorted(ends), strict=True) if at > end], [])


REASONS = {task_scenes.DELAY: "delay", task_scenes.EMPTY: "receive", task_scenes.SEMAPHORE: "semaphore",
           task_scenes.NOTIFICATION: "notification"}


def test_table():
    """As the kernel itself counted; all time belongs to somebody."""
    played = task_scenes.kernel()
    rows = list(csv.DictReader(hostlink(played.scene, "stats", "-", "--tasks", "--csv").splitlines()))
    seen = {row["task"]: row for row in rows}
    ns = 1000
    for name, task in played.tasks.items():
        late = task.latencies + ([played.scene.now - task.woken] if task.woken is not None else [])
        expected = {"class": "idle" if name == "idle" else "task", "priority": task.priority, "run_ns": ns * task.run,
                    "runs": task.runs, "preempted": task.preempted, "waits": task.waits, "wakes": task.wakes,
                    "ready_count": len(task.latencies),
                    "ready_mean_ns": ns * sum(task.latencies) // len(task.latencies) if task.latencies else "",
                    "ready_max_ns": ns * max(late) if late else "",
                    "ready_open_ns": ns * (played.scene.now - task.since) if task.state == "ready" else 0}
        expected |= {f"waits_{word}_ns": ns * task.waited[why] for why, word in REASONS.items()}
        expected["state_waiting_ns"] = ns * sum(task.waited.values())
        expected = {key: str(value) for key, value in expected.items()}
        expect(name, {key: seen[name][key] for key in expected}, expected)
        states = sum(int(seen[name][f"state_{state}_ns"]) for state in ("running", "ready", "waiting", "unknown"))
        expect(f"{name} from first to last", states, ns * (played.scene.now - 1000))
    expect("interrupts", seen["tick"]["run_ns"], str(ns * played.interrupts_us))
    expect("shares", round(sum(float(row["run_percent"]) for row in rows), 2), 100.0)
    expect("time of the core", sum(int(row["run_ns"]) for row in rows), ns * (played.scene.now - 1000))
    # A task that another core takes before its own says what it runs next: no time counts twice.
    for row in csv.DictReader(hostlink(task_scenes.two_cores(), "stats", "-", "--tasks", "--csv").splitlines()):
        if row["class"] == "task":
            expect(f"{row['task']} of two cores", row["run_ns"], row["state_running_ns"])


# As the scenes play them: how often, ns of the longest, waiter, holder. A wait still open ends at the last event.
LOCK_WAITS = {
    "inversion": {"bus": ("1", "24600000", "motor", "logger")},
    "held": {"bus": ("1", "19530000", "high", "low")},
    "deadlock": {"bus": ("1", "0", "reader", "writer"), "disk": ("1", "10000", "writer", "reader")},
    "late": {"bus": ("1", "500000", "motor", "")},
}
# Holds that last at the end: how many, whose, since when in ns.
OPEN = {"deadlock": {"bus": ("1", "writer", "1010000"), "disk": ("1", "reader", "1000000")}}


def test_causes():
    """Who ran in the place of a task that was late, who preempted it, what it waited for and who held that."""
    rows = {row["task"]: row for row in csv.DictReader(
        hostlink(task_scenes.inversion(), "stats", "-", "--tasks", "--csv").splitlines())}
    waiting = {row["task"]: row for row in csv.DictReader(
        hostlink(task_scenes.unfinished(), "stats", "-", "--tasks", "--csv").splitlines())}["log"]
    expect("woken, and never ran", {key: waiting[key] for key in ("ready_count", "ready_max_ns", "ready_max_by", "ready_open_ns")},
           {"ready_count": "0", "ready_max_ns": "8500000", "ready_max_by": "net", "ready_open_ns": "8500000"})
    expect("logger", {key: rows["logger"][key] for key in ("preempted", "preempted_by", "preempted_by_count")},
           {"preempted": "3", "preempted_by": "motor", "preempted_by_count": "2"})
    expect("motor", {key: rows["motor"][key] for key in ("lock_max_ns", "lock_max_at_ns", "lock_max_of", "lock_max_held_by")},
           {"lock_max_ns": "24600000", "lock_max_at_ns": "1120000", "lock_max_of": "bus", "lock_max_held_by": "logger"})
    rows = {row["task"]: row for row in csv.DictReader(
        hostlink(task_scenes.lost(), "stats", "-", "--tasks", "--csv").splitlines())}
    for task in ("a", "b"):  # 100 us each until the last event, and nobody knows what ran while events were lost
        expect(task, {key: rows[task][key] for key in ("state_unknown_ns", "run_percent")},
               {"state_unknown_ns": "1000000", "run_percent": "50.0000"})
    lives = [row for row in csv.DictReader(hostlink(task_scenes.reused(), "stats", "-", "--tasks", "--csv").splitlines())
             if row["task"] == "child"]
    expect("lives of two control blocks", len(lives), 1000)
    # Each is named 1 us before it is ready, and runs for 3 us and an interrupt.
    expect("their time", {(row["state_unknown_ns"], row["run_ns"], row["runs"]) for row in lives}, {("1000", "3000", "1")})
    for name, waits in LOCK_WAITS.items():
        locks = {row["name"]: row for row in csv.DictReader(
            hostlink(ALL[name](), "stats", "-", "--locks", "--csv").splitlines())}
        expect(f"holds at the end of {name}", {lock: (row["open"], row["open_on"], row["open_at_ns"]) for lock, row in locks.items()},
               OPEN.get(name, {lock: ("0", "", "") for lock in locks}))
        expect(f"waits for locks of {name}", {lock: (row["waits"], row["wait_max_ns"], row["wait_max_on"], row["wait_max_for"])
                                              for lock, row in locks.items()}, waits)
    text = hostlink(task_scenes.inversion(), "stats", "-", "--tasks")
    for part in ("--from=0.01", "--zone=none"):
        hostlink(task_scenes.inversion(), "stats", "-", "--tasks", part, status=2)
        expect(f"the worst with {part}", named(hostlink(task_scenes.inversion(), "stats", "-", part)), [WORST["inversion"]])
    expect("a row for people", re.search("^motor .*$", text, re.M)[0].split()[:5], ["motor", "3", "0.28", "%", "3"])
    expect("a line below it", named(text), [WORST["inversion"]])
    hollow = task_scenes.Scene()
    hollow.run(17)
    hollow.wait(5)
    hollow.run(33)
    expect("a kernel that tells of switches alone", "no kernel reports states" in hostlink(hollow, "stats", "-", "--tasks"), True)


def test_jobs():
    """Periods and deadlines, as the firmware has them or found."""
    rows = {row["task"]: row for row in csv.DictReader(
        hostlink(task_scenes.late(), "stats", "-", "--tasks", "--csv").splitlines())}
    begins = [10000 * at + jitter for at, jitter in enumerate(task_scenes.LATE_JITTER)]
    apart = [after - before for before, after in zip(begins, begins[1:])]
    expect("motor", {key: rows["motor"][key] for key in ("jobs", "job_max_ns", "period_ns", "period_told_ns", "jitter_max_ns",
                                                         "deadline_ns", "missed", "unfinished")},
           {"jobs": "100", "job_max_ns": "6200000", "period_ns": str(1000 * sorted(apart[:64])[32]),
            "period_told_ns": "10000000", "jitter_max_ns": str(1000 * max(abs(us - 10000) for us in apart)),
            "deadline_ns": "5000000", "missed": "2", "unfinished": "1"})
    p99 = 1000 * sorted(abs(us - 10000) for us in apart)[98]
    expect("99 of 100 within a 64th", abs(int(rows["motor"]["jitter_p99_ns"]) - p99) <= p99 / 64, True)
    expect("poll", {key: rows["poll"][key] for key in ("jobs", "period_ns", "period_told_ns", "jitter_max_ns", "missed")},
           {"jobs": "99", "period_ns": "10000000", "period_told_ns": "", "jitter_max_ns": "0", "missed": ""})
    expect("no rhythm", rows["net"]["period_ns"], "")
    head, row = re.findall("^(?:task|motor) .*$", hostlink(task_scenes.late(), "stats", "-", "--tasks"), re.M)[:2]
    expect("for people", ["missed" in head, "6.20 ms" in row], [True, True])
    expect("none where no task has a period",
           "missed" in hostlink(task_scenes.inversion(), "stats", "-", "--tasks").splitlines()[0], False)


globals()[f"test_{sys.argv[2]}"]()
print("passed")
