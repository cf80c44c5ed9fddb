# SPDX-License-Identifier: MIT
"""What hostlink says of the kernel of traps.c, against what the kernel counted itself, task by task; and Perfetto's tables
against hostlink's. Usage: expected.py HOSTLINK FOLDER NAME ..., the runs of board.sh."""
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "validate"))
import outputs  # noqa: E402

TICK_NS = 100  # of the machine's clock
WHYS = ("unknown", "delay", "receive", "send", "semaphore", "lock", "notification", "event_flags", "suspended", "join",
        "memory", "io", "condition")
KINDS = {1: "interrupt", 2: "task", 4: "idle"}
ROUNDS, LIVES, TASKS_OF_9 = 20, 40, "9 brief"
NS_A_ROW = 3  # Perfetto's events of one time are moved apart by so much

Truth = collections.namedtuple("Truth", "name kind base highest runs preempted wakes first_runs run ready waits waited wakers")


def truths(path):
    """The lives of tasks in order, and the interrupts by name."""
    lives, interrupts = [], {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, *cells = line.split(";")
        numbers = list(map(int, cells[:11 + 3 * len(WHYS)]))
        rest = cells[11 + 3 * len(WHYS):]
        of_why = [numbers[11 + 3 * why:14 + 3 * why] for why in range(len(WHYS))]
        truth = Truth(name, *numbers[:7], tuple(numbers[7:9]), tuple(numbers[9:11]), [three[0] for three in of_why],
                      [tuple(three[1:]) for three in of_why], dict(zip(rest[::2], map(int, rest[1::2]), strict=True)))
        if truth.kind == 0:  # never came
            continue
        if KINDS[truth.kind] == "interrupt":
            runs, low, high = interrupts.get(name, (0, 0, 0))
            interrupts[name] = runs + truth.runs, low + truth.run[0], high + truth.run[1]
        else:
            lives.append(truth)
    assert len(lives) >= 3, "the truth is not whole"
    return lives, interrupts


def within(what, ns, interval, wrong):
    least, most = (TICK_NS * ticks for ticks in interval)
    if not least <= (ns or 0) <= most:
        wrong.append(f"{what}: {ns} ns is not from {least} to {most}")


def same(what, seen, true, wrong):
    if seen != true:
        wrong.append(f"{what}: {seen} should be {true}")


def hostlink(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


class Run:
    def __init__(self, program, folder, name):
        self.folder, self.name, self.cores = folder, name, 2 if name.endswith("_2") else 1
        self.lives, self.interrupts = truths(folder / f"{name}.truth")
        self.said = (folder / f"{name}.out").read_text(encoding="utf-8")
        self.errors = (folder / f"{name}.err").read_text(encoding="utf-8")
        capture, trace, events = folder / f"{name}.kymo", folder / f"{name}.pftrace", folder / f"{name}.events.csv"
        document = json.loads(hostlink(program, "stats", capture, "--tasks", "--json"))
        rows = sorted(document["tasks"], key=lambda row: row["id"])
        self.lost, self.emitted = document["events"]["lost"], document["events"]["emitted"]
        # On two cores the first to appear is not the first created, except among those of one name.
        own = [row for row in rows if row["class"] in ("task", "idle")]
        by_name = {truth.name: iter([row for row in own if row["task"] == truth.name]) for truth in self.lives}
        self.tasks = [next(by_name[truth.name], {"task": "no row"}) for truth in self.lives]
        self.unknown = [row["task"] for name in by_name for row in by_name[name]] + [
            row["task"] for row in own if row["task"] not in by_name]
        self.others = [row for row in rows if row["class"] not in ("task", "idle")]
        hostlink(program, "convert", "-q", capture, "-o", trace, "-o", events)
        self.trace = trace
        self.woken, self.begun, self.suspended = (collections.Counter() for _ in range(3))
        with open(events, newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                self.suspended[row["context"]] += row["kind"] == "task suspended"
                waker = re.search("woken by (.*?)(?: [(]core 1[)])?$", row["text"])
                if row["kind"] == "task ready" and waker:
                    self.woken[row["context"], waker[1]] += 1
                    self.begun[row["context"], waker[1]] += row["value"] == ""

    def pairs(self, number):
        """Truths and rows of the tasks of a trap."""
        found = [(truth, row) for truth, row in zip(self.lives, self.tasks, strict=True)
                 if truth.name.startswith(f"{number} ")]
        assert found, f"no task of trap {number}"
        return found


# ---- task by task ----

def judge_counts(run, wrong, times=True):
    same("rows of no life", run.unknown, [], wrong)
    same("lives", [row["task"] for row in run.tasks], [truth.name for truth in run.lives], wrong)
    for truth, row in zip(run.lives, run.tasks):
        what = f"{truth.name} ({row['id']})"
        same(what, {key: row[key] for key in ("class", "priority", "highest_priority", "runs", "preempted", "waits", "wakes",
                                              "ready_count", *(f"waits_{why}" for why in WHYS))},
             {"class": KINDS[truth.kind], "priority": truth.base, "highest_priority": truth.highest, "runs": truth.runs,
              "preempted": truth.preempted, "waits": sum(truth.waits), "wakes": truth.wakes, "ready_count": truth.first_runs,
              **{f"waits_{why}": count for why, count in zip(WHYS, truth.waits)}}, wrong)
        if times:
            within(f"{what} ran", row["run_ns"], truth.run, wrong)
            within(f"{what} was ready", (row["ready_mean_ns"] or 0) * truth.first_runs,
                   (truth.ready[0] - truth.first_runs, truth.ready[1]), wrong)
            for why, interval in zip(WHYS, truth.waited):
                within(f"{what} waited for {why}", row[f"waits_{why}_ns"], interval, wrong)
    for name, (runs, *interval) in run.interrupts.items():
        rows = [row for row in run.others if row["task"] in (name, f"{name} (core 1)")]
        same(f"{name}: entries", sum(row["runs"] for row in rows), runs, wrong)
        if times:
            within(f"{name} ran", sum(row["run_ns"] for row in rows), interval, wrong)


def judge_wakers(run, wrong):
    true = collections.Counter()
    for truth in run.lives:
        for waker, count in truth.wakers.items():
            true[truth.name, waker] += count
    same("wakers", sorted((run.woken - true).items()), sorted((true - run.woken).items()), wrong)


# ---- Perfetto's tables ----

QUERIES = {
    "complaints": outputs.BOTH_QUERIES["complaints"],
    "order": "select name, value from stats where value > 0 and (name glob '*task_state*' or name = 'spurious_sched_wakeup')",
    "threads": "select name, count(*) from thread where name is not null group by 1",
    "schedulings": "select t.name, count(*), sum(s.dur), max(s.priority) from sched s join thread t using (utid) group by 1",
    "states": """
        select t.name, s.state, count(*), sum(iif(s.dur < 0, trace_end() - s.ts, s.dur)) from thread_state s
        join thread t using (utid) where s.state is not null group by 1, 2""",
    "wakers": """
        select t.name, w.name, count(*) from thread_state s join thread t using (utid)
        join thread w on w.utid = s.waker_utid group by 1, 2""",
    "reasons": """
        with before as (select id, lag(state) over (partition by utid order by ts) as was from thread_state)
        select t.name, s.blocked_function, count(*) from thread_state s join before b using (id) join thread t using (utid)
        where s.state in ('S', 'D', 'T') and b.was = 'Running' group by 1, 2""",
    "latencies": """
        include perfetto module sched.latency;
        with before as (select id, state, lag(state) over (partition by utid order by ts) as was from thread_state)
        select t.name, count(*), sum(latency_dur), max(latency_dur) from sched_latency_for_running_interval l
        join before b on b.id = l.runnable_latency_id join thread t using (utid)
        where b.was is null or b.was not in ('Running') group by 1""",
}
STATES = {"Running": ("running",), "R": ("ready",), "S": ("waiting",), "D": ("waiting",), "T": ("suspended",)}


def add_up(rows, keys):
    sums = collections.defaultdict(int)
    for row in rows:
        for key in keys:
            sums[row["task"], key] += row[key] or 0
    return sums


def judge_perfetto(run, wrong):
    answers = outputs.trace_processor(run.trace, QUERIES)
    same("error counters", answers["complaints"] + answers["order"], [], wrong)
    sums = add_up(run.tasks, ("runs", "wakes", "ready_count", "waits", "state_running_ns", "state_ready_ns",
                              "state_waiting_ns", "state_suspended_ns"))
    most = {}
    for row in run.tasks:
        most[row["task"]] = max(most.get(row["task"], 0), row["ready_max_ns"] or 0)
    lives = collections.Counter(row["task"] for row in run.tasks)
    same("threads", {name: count for name, count in answers["threads"] if name in lives}, dict(lives), wrong)
    schedulings = {name: (count, time) for name, count, time, _ in answers["schedulings"] if name in lives}
    same("schedulings", {name: count for name, (count, _) in schedulings.items()}, {name: sums[name, "runs"] for name in lives},
         wrong)
    times, counts = collections.Counter(), collections.Counter()
    for name, state, count, time in answers["states"]:
        for word in STATES.get(state, ()):
            times[name, word] += time
            counts[name, word] += count
    for name in lives:
        for word in ("running", "ready", "waiting", "suspended"):
            seen, said = times[name, word], sums[name, f"state_{word}_ns"]
            if abs(seen - said) > NS_A_ROW * (counts[name, word] + lives[name]):
                wrong.append(f"Perfetto: {name} was {word} for {seen} ns, stats --tasks says {said}")
    # The reader has no waker of a task that begins.
    true = collections.Counter({pair: count for pair, count in (run.woken - run.begun).items() if pair[1] in lives})
    seen = collections.Counter({(a, b): count for a, b, count in answers["wakers"]})
    same("Perfetto's wakers", sorted((seen - true).items()), sorted((true - seen).items()), wrong)
    same("Perfetto's latencies", {name: count for name, count, _, _ in answers["latencies"] if name in lives},
         {name: sums[name, "ready_count"] for name in lives if sums[name, "ready_count"]}, wrong)
    for name, _, _, longest in answers["latencies"]:
        if name in lives and abs(longest - most[name]) > 2 * NS_A_ROW:
            wrong.append(f"Perfetto: {name} was late by {longest} ns, stats --tasks says {most[name]}")
    waits = collections.Counter()
    for name, reason, count in answers["reasons"]:
        waits[name] += count
        if reason is None and name not in ("7 all", "15 victim"):
            wrong.append(f"Perfetto: {name} waits for nothing {count} times")
    same("Perfetto's waits", {name: waits[name] for name in lives}, {name: sums[name, "waits"] for name in lives}, wrong)


# ---- trap by trap: the expected counts of each, independent of the kernel's own ----

def only(run, number, name):
    (pair,) = [(truth, row) for truth, row in run.pairs(number) if row["task"] == f"{number} {name}"]
    return pair[1]


def trap_1(run):
    """A reason is that of the switch, not of the call."""
    row = only(run, 1, "reader")
    preempted = row["preempted"] >= ROUNDS or run.cores > 1  # the urgent one may run elsewhere
    return row["waits_receive"] == ROUNDS == row["waits"] and preempted and row["waits_notification"] == 0


def trap_2(run):
    """An interrupt under a suspended scheduler is the waker, and not who resumes it."""
    return run.woken["2 reader", "device"] == ROUNDS and run.woken["2 reader", "2 suspender"] == 0


def trap_3(run):
    """To inherit a priority is no wake-up."""
    low, high = only(run, 3, "low"), only(run, 3, "high")
    met = low["highest_priority"] == 6 and high["waits_lock"] > 0 or run.cores > 1
    return low["wakes"] == 1 + low["waits"] and low["priority"] == 4 and met


def trap_4(run):
    """An interrupt without a hook is never taken for the task that it interrupts."""
    return run.woken["4 sleeper", "interrupt"] == ROUNDS and run.woken["4 sleeper", "4 bystander"] == 0


def trap_5(run):
    """Exits without an entry end nothing, also nested in the tick."""
    return run.woken["5 sleeper", "device"] == ROUNDS and run.woken["5 sleeper", "tick"] == 0


def trap_6(run):
    """One wait for a stream, not one for a notification."""
    row = only(run, 6, "reader")
    return row["waits_receive"] == ROUNDS == row["waits_notification"]


def trap_7(run):
    """Each reason by its name, and a wait of which nobody tells has none."""
    row = only(run, 7, "all")
    return all(row[f"waits_{why}"] == (why not in ("lock", "join")) for why in WHYS)


def trap_8(run):
    """A mutex that is given at its creation was not held."""
    return "repair" not in run.errors and only(run, 8, "maker")["waits"] == 0


def trap_9(run):
    """As many rows as lives, each with its own runs, also where an interrupt returns to what is over."""
    rows = [row for _, row in run.pairs(9)]
    return len(rows) == LIVES and all(row["runs"] == 1 and row["wakes"] == 1 and row["waits"] == 0 for row in rows)


def trap_10(run):
    """The timer's task wakes the sleepers; a change of priority is no leave, and the same task again no run."""
    return run.woken["10 sleeper", "10 timer"] == ROUNDS and only(run, 10, "timer")["highest_priority"] == 10


def trap_12(run):
    """Ready while it runs is no wake-up, also on another core."""
    return all(row["waits_delay"] == ROUNDS and row["wakes"] == ROUNDS + 1 for _, row in run.pairs(12))


def trap_15(run):
    """A task that another one suspends is neither ready nor waits for what it waited for."""
    left = only(run, 15, "victim")["waits_suspended"]
    return run.suspended["15 victim"] == ROUNDS and (left == 0 or run.cores > 1)


def judge_traps(run, wrong):
    judge_counts(run, wrong)
    judge_wakers(run, wrong)
    same("lost", run.lost, 0, wrong)
    for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15):
        trap = globals()[f"trap_{number}"]
        if not trap(run):
            wrong.append(f"trap {number}: {trap.__doc__}")
    judge_perfetto(run, wrong)


# ---- the worst, each in a line at the end of a capture, and of a file that is shown again ----

SAID = (r"deadlock at [0-9.]+ s: task (reader|writer) waits for lock (bus|other), held by (reader|writer), which waits for lock "
        r"(bus|other), held by \1",
        r"priority inversion at [0-9.]+ s: task high waited [0-9.]+ ms for lock bus, held by low \(priority 4\), while mid \(6\) "
        r"ran [0-9.]+ ms",
        r"starvation at [0-9.]+ s: task hungry \(priority 4\) was ready for [0-9.]+ ms and did not run, while hog \(6\) ran "
        r"[0-9.]+ ms",
        r"interrupt storm at [0-9.]+ s: device(?: \(core 1\))? came [0-9]+ times within 10 ms and took [0-9.]+ ms of core [01], "
        r"usually [01] times?; [0-9]+ times from [0-9.]+ s to [0-9.]+ s, at [0-9.]+ k?Hz")


def judge_worst(run, wrong):
    judge_counts(run, wrong)
    again = (run.folder / f"{run.name}.again").read_text(encoding="utf-8")
    for said in SAID:
        for what, text in (("capture", run.said), ("its file", again)):
            if len(re.findall(f"^{said}$", text, re.M)) != 1:
                wrong.append(f"the {what} does not say '{said}':\n{text}")


# ---- trap 13: a host that comes late ----

def judge_late(run, wrong):
    same("rows", sorted(row["task"] for row in run.tasks), ["13 worker", "conductor", "idle 0"], wrong)
    same("rows of no life", run.unknown, [], wrong)
    for truth, row in zip(run.lives, run.tasks):
        same(truth.name, {key: row[key] for key in ("class", "priority", "preempted", "waits", "waits_receive", "waits_delay")},
             {"class": KINDS[truth.kind], "priority": truth.base, "preempted": truth.preempted, "waits": sum(truth.waits),
              "waits_receive": truth.waits[2], "waits_delay": truth.waits[1]}, wrong)
        if row["wakes"] not in (truth.wakes - 1, truth.wakes):  # a task is first heard of when it runs
            wrong.append(f"{truth.name}: {row['wakes']} of {truth.wakes} wake-ups")


# ---- trap 11: a ring that is too small ----

def judge_small(run, wrong):
    """No task has more than the kernel counted, and what nobody knows is no one's."""
    print(f"small: {100 * run.lost // run.emitted} % of {run.emitted} events lost")
    if run.lost * 2 < run.emitted:
        wrong.append(f"only {run.lost} of {run.emitted} events were lost")
    for name in {truth.name for truth in run.lives}:
        lives = [truth for truth in run.lives if truth.name == name]
        rows = [row for row in run.tasks if row["task"] == name]
        for key in ("runs", "preempted", "wakes"):
            seen, true = sum(row.get(key) or 0 for row in rows), sum(getattr(truth, key) for truth in lives)
            if seen > true:
                wrong.append(f"{name}: {key} {seen} of {true}")
        seen, true = sum(row.get("run_ns") or 0 for row in rows), TICK_NS * sum(truth.run[1] for truth in lives)
        if seen > true:
            wrong.append(f"{name} ran for {seen} of {true} ns")
    same("error counters", outputs.trace_processor(run.trace, {name: QUERIES[name] for name in ("order",)})["order"], [], wrong)


# ---- trap 14: a clock in which several switches have one time ----

def judge_slow(run, wrong):
    judge_counts(run, wrong, times=False)
    judge_wakers(run, wrong)
    answers = outputs.trace_processor(run.trace, QUERIES)
    same("error counters", answers["complaints"] + answers["order"], [], wrong)
    runs = collections.Counter()
    for truth in run.lives:
        runs[truth.name] += truth.runs
    same("schedulings", {name: count for name, count, _, _ in answers["schedulings"] if name in runs}, dict(runs), wrong)


def main():
    program, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    subprocess.run([HERE.parent / "validate/fetch.sh"], check=True)
    failed = False
    for name in sys.argv[3:]:
        wrong = []
        globals()[f"judge_{name.split('_')[0]}"](Run(program, folder, name), wrong)
        print("\n".join(f"{name}: {line}" for line in wrong) or f"{name}: as the kernel counted")
        failed = failed or bool(wrong)
    sys.exit(failed)


main()
