# SPDX-License-Identifier: MIT
"""The call stacks that hostlink shows of tests/callstack/tasks.c, held against what its source says: as addresses in the
table of events, as names in folded stacks, at a Tracy viewer and in Perfetto. None goes beyond the function that its
task began with.

Usage: tasks.py FOLDER ARCH: it holds trace.events.csv, symbols, which is nm's output, capture.out, what hostlink printed,
trace.folded, trace.samples.folded, trace.pftrace, and viewed, the output of "tracy_viewer ... stacks". With
KYMO_OWN_READERS in the environment Perfetto's trace is read here, and not by Perfetto's own program. Exit status 1 and
a line for each thing that is wrong.
"""
import collections
import csv
import math
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "validate"), str(HERE.parent / "symbol")]
import expected  # noqa: E402
import outputs  # noqa: E402
import readers  # noqa: E402

RED_WORK = ["red_inner", "red_outer", "red_task"]
BLUE_WORK = ["blue_recurse"] * 4 + ["blue_task"]
# Each event with a stack in order: its row, kind and name or text; the functions, of which "..." are any.
EVENTS = [
    ("red", "message", "red begins", ["red_task"]),
    ("red", "zone begin", "red work", RED_WORK),
    ("blue", "zone begin", "blue work", BLUE_WORK),
    ("blue", "alloc", "heap", BLUE_WORK),
    ("blue", "free", "heap", BLUE_WORK),
    ("red", "message", "red again", RED_WORK),
    ("tick", "message", "interrupt", ["on_tick", ..., "red_busy", "red_task"]),
    ("blue", "lock wait", "lock", BLUE_WORK),
    ("blue", "lock obtain", "lock", BLUE_WORK),
    ("tick", "message", "interrupt", ["on_tick", ..., "blue_leaf", "blue_leaf_caller", "blue_task"]),
    ("blue", "message", "blue ends", ["blue_task"]),
]
ZONES = [("red", RED_WORK, "red work"), ("blue", BLUE_WORK, "blue work")]
# Samples in the tasks' own work; the rest of theirs is in pass_on().
SHARES = {"red": ["red_share", "red_sharer", "red_task"], "blue": ["blue_share"] + ["blue_sharer"] * 3 + ["blue_task"]}
LEAST = 30  # samples in each
# Interrupted in its first or last instructions, a function may lack its caller: kymo/unwind.h. Each here takes
# thousands of instructions, a dozen of them at the ends.
IRREGULAR = 0.005
SIGMAS = 5

folder = pathlib.Path(sys.argv[1])
arch = sys.argv[2]
wrong = []


def expect(what, seen, should):
    if seen != should:
        wrong.append(f"{what}: {seen}, should be {should}")


def is_as(names, functions):
    """To the last function, and no further. gcc for x86 gives no frame to a function that calls none and keeps nothing on
    the stack; a walk through the handler does not know then what called it: kymo/unwind.h."""
    without = [name for name in functions if arch != "x86" or name != "blue_leaf_caller"]
    for functions in (functions, without):
        place = functions.index(...) if ... in functions else len(functions)
        tail = functions[place + 1:]
        if names[:place] == functions[:place] and (names[place:][-len(tail):] == tail if tail else len(names) == place):
            return True
    return False


def check_each(what, seen, events):
    """Lists of (..., functions), in one order."""
    expect(what, [event[:-1] for event in seen], [event[:-1] for event in events])
    for (*event, names), (*_, functions) in zip(seen, events):
        if not is_as(names, functions):
            wrong.append(f"{what}: {event}: {names}, should be {functions}")


def check_events():
    places = expected.symbols_of(folder / "symbols", arch)
    seen = []
    with open(folder / "trace.events.csv", newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            names = [expected.name_of(places, int(address, 16)) for address in row["stack"].split()]
            if names and row["kind"] != "sample" and not row["text"].startswith("clock: "):
                name = row["text"] if row["kind"] == "message" else row["name"]
                seen.append((row["context"], row["kind"], name, names))
    check_each("events", seen, EVENTS)


def of_tasks(samples):
    """Numbers by (row, functions, the innermost first)."""
    return collections.Counter({key: number for key, number in samples.items() if key[0] in SHARES})


def check_samples(what, stacks):
    for task, functions in SHARES.items():
        of_task = {tuple(names): number for (row, *names), number in stacks.items() if row == task}
        for names in of_task:
            if functions[-1] in names[:-1] or "main" in names:
                wrong.append(f"{what}: a sample of {task} goes beyond its task: {names}")
        own = {names: number for names, number in of_task.items() if functions[0] in names}
        number, right = sum(own.values()), own.get(tuple(functions), 0)
        if number < LEAST:
            wrong.append(f"{what}: {number} samples in {functions[0]}")
        if number - right > number * IRREGULAR + SIGMAS * math.sqrt(number * IRREGULAR * (1 - IRREGULAR)):
            wrong.append(f"{what}: {right} of {number} samples of {task} are as the source says: {own}")


def folded_samples():
    return collections.Counter({(path[0], *reversed(path[1:])): number
                                for path, number in readers.folded(folder / "trace.samples.folded").items()})


def check_folded():
    seen = set(readers.folded(folder / "trace.folded"))
    expect("folded zones", seen, {(row, *reversed(functions), name) for row, functions, name in ZONES})


def tracy_samples():
    """And the other events, which have no rows there, nor locks stacks."""
    samples, seen = collections.Counter(), []
    for line in (folder / "viewed").read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"stack: (.*?)\|(.*)\|(.*)\|(\d+)", line)
        if not match or match[2].startswith("clock: "):
            continue
        names = match[3].split(";")
        if match[1] == "sample":
            samples[(match[2], *names)] += int(match[4])
        elif names != ["-"]:
            seen += [(match[1], match[2], names)] * int(match[4])
    events = [(kind.replace("zone begin", "zone"), name, functions) for _, kind, name, functions in EVENTS
              if "lock" not in kind]
    order = lambda event: (event[0], event[1], event[2][-1])
    check_each("Tracy", sorted(seen, key=order), sorted(events, key=order))
    return samples


QUERIES = {
    "events": """
        select slice.name, callsite_id from __intrinsic_track_event_callstacks c join slice on c.slice_id = slice.id
        order by slice.ts, slice.id""",
    "samples": "select thread.name, callsite_id, count(*) from perf_sample join thread using (utid) group by 1, 2",
    "calls": "select c.id, c.parent_id, f.name from stack_profile_callsite c join stack_profile_frame f on c.frame_id = f.id",
}
PERFETTO = {"zone begin": "{1}", "message": "{1}", "alloc": "alloc", "free": "free", "lock wait": "{0} waits",
            "lock obtain": "held by {0}"}


def perfetto_samples():
    """And the other events. Rows of samples only where Perfetto's own program reads them."""
    events = [(PERFETTO[kind].format(row, name), functions) for row, kind, name, functions in EVENTS]
    if os.environ.get("KYMO_OWN_READERS"):
        seen = [(name, list(reversed(path))) for (name, path), number in readers.perfetto(folder / "trace.pftrace").items()
                for _ in range(number)]
        samples = None
    else:
        if outputs.subprocess.run([HERE.parent / "validate" / "fetch.sh"], check=False).returncode != 0:
            sys.exit("the readers are not there")
        answers = outputs.trace_processor(folder / "trace.pftrace", QUERIES)
        calls = {number: (parent, name) for number, parent, name in answers["calls"]}

        def names(number):
            while number is not None:
                number, name = calls[number]
                yield name

        seen = [(name, list(names(number))) for name, number in answers["events"]]
        samples = collections.Counter()
        for row, number, count in answers["samples"]:
            samples[(row, *names(number))] += count
    order = lambda event: (event[0], event[1][-1])
    check_each("Perfetto", sorted((event for event in seen if not event[0].startswith("clock: ")), key=order),
               sorted(events, key=order))
    return samples


def main():
    printed = (folder / "capture.out").read_text(errors="replace")
    if not re.search(r"^events: emitted (\d+) delivered \1 lost 0$", printed, re.M):
        wrong.append(f"events were lost, or there are none: {printed[-300:]}")
    check_events()
    check_folded()
    samples = of_tasks(folded_samples())
    check_samples("folded samples", samples)
    expect("samples at Tracy", of_tasks(tracy_samples()), samples)
    of_perfetto = perfetto_samples()
    if of_perfetto is not None:
        expect("samples in Perfetto", of_tasks(of_perfetto), samples)
    for line in wrong:
        print(f"{folder}: {line}"[:2000])
    if not wrong:
        counts = {task: sum(n for key, n in samples.items() if key[0] == task) for task in SHARES}
        print(f"{len(EVENTS)} call stacks in tasks are as the source says, and {counts} samples")
    sys.exit(1 if wrong else 0)


main()
