# SPDX-License-Identifier: MIT
"""Flows and asynchronous zones as Perfetto's trace processor has them, against the rows of events.csv.

Usage: flows.py HOSTLINK FOLDER. Exit status 1 and a line for what is wrong.
"""
import collections
import csv
import pathlib
import subprocess
import sys

import outputs

sys.path.insert(0, str(outputs.HERE.parent / "cli"))
import boards  # noqa: E402
import flows  # noqa: E402

ARROWS = """
    select a.ts, a.category, b.ts, b.category, {id} from flow f join slice a on f.slice_out = a.id
    join slice b on f.slice_in = b.id"""
QUERIES = {name: outputs.BOTH_QUERIES[name] for name in ("complaints", "unfinished", "outside")} | {
    "ends": "select category, count(*) from slice where category glob 'flow *' group by 1",
    "asyncs": "select name, ts, dur from slice where category = 'async' order by 1, 2, 3",
}


def pairs(path):
    """What leads from where to where: (ns, kind, ns, kind, id); and the zones: (name, ns, how long)."""
    arrows, asyncs, ends, going = [], [], collections.Counter(), {}
    for row in csv.DictReader(open(path, newline="", encoding="utf-8")):
        of, _, what = row["kind"].partition(" ")
        if of not in ("flow", "async"):
            continue
        key, now = (of, row["name"], row["value"]), int(row["time_ns"])
        ends[row["kind"]] += of == "flow"
        before = None if what in ("send", "begin") else going.pop(key, None)
        if before and of == "flow":
            arrows.append([*before, now, row["kind"], int(row["value"])])
        elif before:
            asyncs.append([row["name"], before[0], now - before[0]])
        if what in ("send", "begin") or (what == "step" and before):
            going[key] = now, row["kind"]
    return sorted(arrows), sorted(asyncs), {kind: count for kind, count in ends.items() if count}


def check(folder, suffix, where, wrong):
    argument = f"cast(extract_arg(a.arg_set_id, '{where}.id') as text)"
    answers = outputs.trace_processor(folder / f"flows.{suffix}", QUERIES | {"arrows": ARROWS.format(id=argument)})
    arrows, asyncs, ends = pairs(folder / "flows.events.csv")
    check_that = outputs.Check(suffix, wrong)
    # SQL has no unsigned numbers.
    seen = sorted([*row[:4], int(float(row[4])) % (1 << 64)] for row in answers["arrows"])
    rough = suffix == "json"  # whose reader has no integers of 64 bits
    check_that.equal("arrows", [row[:4] if rough else row for row in seen],
                     sorted(row[:4] for row in arrows) if rough else arrows)
    check_that.equal("zones", answers["asyncs"], asyncs)
    check_that.equal("ends of flows", dict(answers["ends"]), ends)
    for name, nothing in (("complaints", []), ("unfinished", [[0]]), ("outside", [[0]])):
        check_that.equal(name, answers[name], nothing)


BOARDS = {name: outputs.BOTH_QUERIES[name] for name in ("complaints", "outside")} | {
    "arrows": f"select count(*), min(ts2 - ts1) from ({ARROWS.format(id='0').replace('a.ts,', 'a.ts ts1,').replace(' b.ts,', ' b.ts ts2,')})",
    "processes": "select name from process where name is not null order by pid",
    "errors": "select min(value) > 1000, max(value) < 1000000 from counter join counter_track on track_id = counter_track.id"
              " where name like '%clock error%'",
}


def check_boards(hostlink, folder, wrong):
    """Two boards in one trace: each message is one arrow from the process of one to that of the other."""
    boards.make(folder)
    path = folder / "boards.pftrace"
    merged = folder / "boards.kymo"
    subprocess.run([hostlink, "merge", "-q", folder / "a.kymo", folder / "b.kymo", "-o", merged], check=True,
                   stderr=subprocess.DEVNULL)
    subprocess.run([hostlink, "convert", "-q", merged, "-o", path], check=True, stderr=subprocess.DEVNULL)
    answers = outputs.trace_processor(path, BOARDS)
    check_that = outputs.Check(path.name, wrong)
    check_that.equal("arrows", answers["arrows"][0][0], len(boards.messages()))
    check_that.equal("arrows that lead back", answers["arrows"][0][1] < 0, False)
    check_that.equal("processes", answers["processes"], [["twin (a)"], ["twin (b)"], ["twin (b)"]])
    check_that.equal("errors of the clocks", answers["errors"], [[1, 1]])
    for name, nothing in (("complaints", []), ("outside", [[0]])):
        check_that.equal(name, answers[name], nothing)


def main():
    hostlink, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "flows.kymo").write_bytes(flows.play(100))
    names = [folder / f"flows.{suffix}" for suffix in ("pftrace", "json", "events.csv")]
    subprocess.run([hostlink, "convert", "-q", folder / "flows.kymo",
                    *(part for name in names for part in ("-o", name))], check=True, stderr=subprocess.DEVNULL)
    wrong = []
    check(folder, "pftrace", "debug", wrong)
    check(folder, "json", "args", wrong)
    check_boards(hostlink, folder, wrong)
    if wrong:
        sys.exit("\n".join(line[:2000] for line in wrong))


if __name__ == "__main__":
    main()
