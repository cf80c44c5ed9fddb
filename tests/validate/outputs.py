# SPDX-License-Identifier: MIT
"""Has the outputs of one capture read by programs that are not ours, and compares what they found.

Usage: outputs.py FOLDER NAME [EXPECTED.json]: FOLDER/NAME.pftrace, .json and .csv. Perfetto's own trace
processor reads the first two, protoc with Perfetto's own description the first, Python's json and csv modules
the others. EXPECTED.json says how many "messages", "plots", "frames" ... there must be; without it the files
are compared with each other only. Exit status 1 and a line for each thing that is wrong.
"""
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parent.parent / "build" / "validate" / "trace-processor"

# A zone is a slice without a category. Where it began in the source tells its site whatever its name.
PERFETTO_QUERIES = {
    "zones": """
        select extract_arg(arg_set_id, 'source.file_name'), extract_arg(arg_set_id, 'source.line_number'),
               count(*), sum(dur)
        from slice where category is null and extract_arg(arg_set_id, 'debug.end') is null group by 1, 2""",
    "repaired": """
        select count(*) from slice
        where category is null and extract_arg(arg_set_id, 'debug.end') is not null""",
    "logs": "select count(*) from android_logs",
    "lost": "select sum(extract_arg(arg_set_id, 'debug.lost')) from slice where category = 'loss'",
    "plots": """
        select count(*) from counter c join counter_track t on c.track_id = t.id
        where t.name not like 'memory: %' and t.name <> 'samples'""",
    "memory_counts": """
        select count(*) from counter c join counter_track t on c.track_id = t.id
        where t.name like 'memory: %'""",
    "samples": "select count(*), count(callsite_id) from perf_sample",
    # Functions that samples met; those of the one that it is in.
    "met": """
        select f.name, count(*), thread.name from perf_sample s join stack_profile_callsite c on s.callsite_id = c.id
        join stack_profile_frame f on c.frame_id = f.id join thread using (utid) group by 1, 3""",
    # Call stacks of four functions: innermost first by depth. Those of slices, and of samples.
    "called": "select count(*) from __intrinsic_track_event_callstacks",
    "functions": """
        select c.depth, f.name, f.rel_pc from stack_profile_callsite c join stack_profile_frame f on c.frame_id = f.id
        group by 1, 2, 3 order by min(c.id)""",
}
JSON_QUERIES = {
    "zones": """
        select count(*), coalesce(sum(dur), 0)
        from slice where category is null and extract_arg(arg_set_id, 'args.end') is null""",
    "repaired": """
        select count(*) from slice
        where category is null and extract_arg(arg_set_id, 'args.end') is not null""",
    "lost": "select sum(extract_arg(arg_set_id, 'args.lost')) from slice where category = 'loss'",
    "plots": """
        select count(*) from counter c join counter_track t on c.track_id = t.id
        where t.name not like '%_bytes'""",
    "memory_counts": """
        select count(*) from counter c join counter_track t on c.track_id = t.id
        where t.name like '%_bytes'""",
}
BOTH_QUERIES = {
    "complaints": """
        select name, severity, value from stats
        where value > 0 and (severity in ('error', 'data_loss') or name glob '*skipped*'
                             or name glob '*dropped*')""",
    "unfinished": "select count(*) from slice where dur < 0",
    "outside": """
        select count(*) from slice c join slice p on c.parent_id = p.id
        where c.ts < p.ts or c.ts + c.dur > p.ts + p.dur""",
    "categories": "select category, count(*) from slice where category is not null group by 1",
    "processes": "select count(*) from process where name is not null",
}


class Check:
    def __init__(self, what, wrong):
        self.what = what
        self.wrong = wrong

    def equal(self, which, seen, expected):
        if seen != expected:
            self.wrong.append(f"{self.what}: {which}: {seen}, should be {expected}")


def trace_processor(path, queries):
    result = subprocess.run(["node", HERE / "perfetto.mjs", TOOLS, path], input=json.dumps(queries),
                            capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"the trace processor on {path}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def read_csv(path):
    """(file, line) to (count, total) of each row."""
    with open(path, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    zones = collections.Counter(), collections.Counter()
    for row in rows:
        place = (row["src_file"] or None, int(row["src_line"]) if row["src_file"] else None)
        zones[0][place] += int(row["counts"])
        zones[1][place] += int(row["total_ns"])
    return {place: (zones[0][place], zones[1][place]) for place in zones[0]}


def check_both(check, answers):
    check.equal("complaints of the trace processor", answers["complaints"], [])
    check.equal("slices that do not end", answers["unfinished"], [[0]])
    check.equal("slices that reach out of the one around them", answers["outside"], [[0]])
    return dict(answers["categories"])


def check_counts(check, counts, expected):
    for name, count in counts.items():
        if name in expected:
            check.equal(name, count, expected[name])


def check_perfetto(path, zones, expected, wrong):
    check = Check(path.name, wrong)
    answers = trace_processor(path, PERFETTO_QUERIES | BOTH_QUERIES)
    categories = check_both(check, answers)
    seen = {(file, line): (count, total) for file, line, count, total in answers["zones"]}
    check.equal("zones by place: (count, total ns)", seen, zones)
    check.equal("rows in the table of logs", answers["logs"][0][0], categories.get("message", 0))
    check.equal("memory counts", answers["memory_counts"][0][0], categories.get("memory", 0))
    counts = {
        "zones": sum(zone[0] for zone in zones.values()),
        "messages": categories.get("message", 0),
        "plots": answers["plots"][0][0] + categories.get("plot", 0),
        "frames": categories.get("frame", 0),
        "memory": categories.get("memory", 0),
        "interrupts": categories.get("interrupt", 0),
        "app_infos": categories.get("app info", 0),
        "gaps": categories.get("loss", 0),
        "lost": answers["lost"][0][0] or 0,
        "repaired": answers["repaired"][0][0],
        "sessions": answers["processes"][0][0],
        "samples": answers["samples"][0][0],
        "sampled": answers["samples"][0][1],
        "late_samples": categories.get("sample", 0),
    }
    check_counts(check, counts, expected)
    check.equal("plots that are no number", categories.get("plot", 0), expected.get("not_finite", 0))
    if "sampled" in expected:
        check.equal("functions of samples", answers["met"], [["inner", expected["sampled"], "core 0"]])
    if "called" in expected:
        check.equal("slices with a call stack", answers["called"][0][0], expected["called"])
        check.equal("functions, the outermost first", answers["functions"],
                    [[0, "0x80003030", 0x80003030], [1, 'a<b>::c("d", \u20ac)', 0x80002020],
                     [2, "outer", 0x80001010], [3, "inner", 0x80001010]])
    return counts


def check_schema(path, wrong):
    """No field that Perfetto's description does not know: protoc shows those by their number."""
    with open(path, "rb") as file:
        decoded = subprocess.run(
            ["protoc", f"--descriptor_set_in={TOOLS / 'trace.desc'}", "--decode=perfetto.protos.Trace"],
            stdin=file, capture_output=True, check=False)
    if decoded.returncode != 0:
        wrong.append(f"{path.name}: protoc: {decoded.stderr.decode().strip()}")
    unknown = re.findall(rb"^ *\d+[:{ ].*", decoded.stdout, re.M)
    Check(path.name, wrong).equal("fields unknown to Perfetto", unknown[:5], [])


def reject(constant):
    raise ValueError(f"{constant} is not JSON")


def check_json_text(path, wrong):
    """What every reader asks for: the fields, and begins and ends that nest and carry the same name."""
    check = Check(path.name, wrong)
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_constant=reject)
    rows = collections.defaultdict(list)
    last = collections.Counter()
    for event in trace["traceEvents"]:
        lacking = [key for key in ("name", "ph", "pid", "tid", "ts") if key not in event]
        check.equal(f"fields lacking in {event}", lacking, [])
        row = (event["pid"], event["tid"])
        if event["ph"] == "B":
            rows[row].append(event["name"])
        elif event["ph"] == "E":
            check.equal(f"name at the end of {event}", rows[row].pop() if rows[row] else None, event["name"])
        if event["ph"] in "BEi":
            check.equal(f"time goes back at {event}", event["ts"] >= last[row], True)
            last[row] = event["ts"]
    samples = trace.get("samples", [])
    check.equal("fields lacking in samples",
                [s for s in samples if not {"name", "cpu", "tid", "ts", "weight"} <= s.keys()][:3], [])
    check.equal("call stacks of samples that are not there",
                [s for s in samples if str(s.get("sf", 1)) not in trace["stackFrames"]][:3], [])
    check.equal("zones left open", {row: names for row, names in rows.items() if names}, {})


def check_json(path, zones, counts, not_finite, wrong):
    check = Check(path.name, wrong)
    check_json_text(path, wrong)
    answers = trace_processor(path, JSON_QUERIES | BOTH_QUERIES)
    categories = check_both(check, answers)
    sums = [sum(zone[i] for zone in zones.values()) for i in (0, 1)]
    check.equal("zones: (count, total ns)", answers["zones"], [sums])
    seen = {
        "messages": categories.get("message", 0),
        "plots": answers["plots"][0][0] + categories.get("plot", 0),
        "frames": categories.get("frame", 0),
        "memory": categories.get("memory", 0),
        "app_infos": categories.get("app info", 0),
        "gaps": categories.get("loss", 0),
        "lost": answers["lost"][0][0] or 0,
        "repaired": answers["repaired"][0][0],
        "sessions": answers["processes"][0][0],
        "samples": len(json.loads(path.read_text(encoding="utf-8")).get("samples", [])),
        "late_samples": categories.get("sample", 0),
    }
    check.equal("plots that are no number", categories.get("plot", 0), not_finite)
    check.equal("memory counts", answers["memory_counts"][0][0], seen["memory"])
    check_counts(check, seen, counts)


def check_folder(folder, name, expected):
    """The list of what is wrong. "expected" holds any of the counts of check_perfetto(), and
    "not_finite": how many of the plots are no number."""
    fetched = subprocess.run([HERE / "fetch.sh"], check=False)
    if fetched.returncode != 0:
        return ["the readers are not there"]
    wrong = []
    folder = pathlib.Path(folder)
    zones = read_csv(folder / f"{name}.csv")
    counts = check_perfetto(folder / f"{name}.pftrace", zones, expected, wrong)
    check_schema(folder / f"{name}.pftrace", wrong)
    check_json(folder / f"{name}.json", zones, counts, expected.get("not_finite", 0), wrong)
    print(f"{folder}/{name}: {counts}")
    return wrong


def main():
    expected = {}
    if len(sys.argv) > 3:
        expected = json.loads(pathlib.Path(sys.argv[3]).read_text(encoding="utf-8"))
    wrong = check_folder(sys.argv[1], sys.argv[2], expected)
    for line in wrong[:20]:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
