# SPDX-License-Identifier: MIT
"""What the grid did, by the firmware's own words over semihosting, in each output. Usage: expected.py FOLDER"""
import csv
import json
import os
import pathlib
import subprocess
import sys

OPERATIONS = 40
NAMES = ["kernel", "load", "compute"]
CORES = [("npu 0", "brisc", 1, 2), ("npu 0", "trisc", 1, 2), ("npu 0", "brisc", 3, 1),
         ("npu 1", "brisc", 1, 1), ("npu 1", "trisc", 1, 1), ("npu 1", "trisc", 9, 9)]
TICK_NS = 100  # of the machine's clock
TOP = pathlib.Path(__file__).resolve().parents[2]


def truth(path):
    """By core the zones: name, operation, begin and end by the machine's clock and by the core's; and the transfers."""
    zones, transfers, open_zones = [[] for _ in CORES], [], [[] for _ in CORES]
    for line in path.read_text().splitlines():
        core, *numbers = map(int, line.split())
        if core == len(CORES):
            transfers.append(numbers)
            continue
        time, ticks, site, operation = numbers
        if site < len(NAMES):
            open_zones[core].append((NAMES[site], operation, time, ticks))
        else:
            zones[core].append(open_zones[core].pop() + (time, ticks))
    assert all(len(of) == 3 * OPERATIONS for of in zones) and len(transfers) == OPERATIONS, "the truth is not whole"
    return zones, transfers


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def near(shown, true, bound, what):
    assert abs(shown - true) <= bound, f"{what}: {shown - true} ns off, the bound is {bound}"


def by_sql(out):
    """Zones of devices as (process, row, name, start, end), and arrows as (start, end), from Perfetto's program."""
    subprocess.run([TOP / "tests/validate/fetch.sh"], check=True)
    queries = {
        "zones": "select process.name, process_track.name, slice.name, slice.ts, slice.ts + slice.dur from slice "
                 "join process_track on slice.track_id = process_track.id join process using (upid) "
                 "where slice.category is null",
        "arrows": "select o.ts, i.ts from flow join slice o on o.id = flow.slice_out "
                  "join slice i on i.id = flow.slice_in"}
    validate = TOP / "tests/validate/perfetto.mjs"
    program = ["node", validate, TOP / "build/validate/trace-processor", out / "grid.pftrace"]
    result = subprocess.run(program, input=json.dumps(queries), capture_output=True, text=True, check=True)
    answers = json.loads(result.stdout)
    return [tuple(zone) for zone in answers["zones"]], answers["arrows"]


def by_json(out):
    """The same from Chrome's JSON, where an arrow is known by its number."""
    events = json.loads((out / "grid.json").read_text())["traceEvents"]
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    zones, open_zones, sent, arrows = [], {}, {}, []
    for e in events:
        row = (e.get("pid"), e.get("tid"))
        ns = round(e.get("ts", 0) * 1000)
        if e["ph"] == "B":
            open_zones.setdefault(row, []).append((e["name"], ns, "flow" in e.get("cat", "")))
        elif e["ph"] == "E":
            name, begin, is_flow = open_zones[row].pop()
            if not is_flow:
                zones.append((processes[row[0]], threads[row], name, begin, ns))
        elif e["ph"] == "s":
            sent[e["id"]] = ns
        elif e["ph"] == "f":
            arrows.append((sent[e["id"]], ns))
    return zones, arrows


def check_zones(found, arrows, zones, transfers, bounds):
    """Each zone where it was, within the bound of its row. Returns the time of the machine's zero."""
    engine = sorted(z for z in found if z[0] == "dma")
    zero = engine[0][3] - transfers[0][1] * TICK_NS  # its clock is the board's
    at = lambda ticks: zero + ticks * TICK_NS
    assert [(z[3], z[4]) for z in engine] == [(at(b), at(e)) for _, b, e in transfers], "transfers"
    for core, (device, kind, x, y) in enumerate(CORES):
        of = sorted((z for z in found if z[:2] == (device, f"{x},{y} {kind}")), key=lambda z: (z[3], -z[4]))
        true = sorted(zones[core], key=lambda z: (z[2], -z[4]))
        assert [z[2] for z in of] == [z[0] for z in true], f"zones of {CORES[core]}"
        for shown, (name, _, begin, _, end, _) in zip(of, true):
            near(shown[3], at(begin), bounds[core] + TICK_NS, f"begin of {name}")
            near(shown[4], at(end), bounds[core] + TICK_NS, f"end of {name}")
        assert all(a[3] <= b[3] for a, b in zip(of, of[1:]))
    assert len(arrows) == 2 * OPERATIONS and all(begin <= end for begin, end in arrows), "arrows"
    waits = sorted(e - b for b, e in arrows)
    assert all((b - s) * TICK_NS in waits for s, b, _ in transfers), "how long transfers waited"
    return zero


def check_log(out, zones, transfers):
    head, *lines = (out / "profile_log_device.csv").read_text().splitlines()
    assert "CHIP_FREQ[MHz]: 10," in head, head
    rows = list(csv.DictReader(lines, skipinitialspace=True))
    for core, (device, kind, x, y) in enumerate(CORES):
        slot = {"npu 0": "0", "npu 1": "1"}[device]
        place = (slot, kind, str(x), str(y))
        found = sorted((int(r["time[cycles since reset]"]), r["zone name"], r["type"], int(r["run host ID"]))
                       for r in rows
                       if (r["PCIe slot"], r["RISC processor type"], r["core_x"], r["core_y"]) == place)
        assert len(found) == 6 * OPERATIONS
        true = sorted([(z[3], z[0], "ZONE_START", z[1]) for z in zones[core]]
                      + [(z[5], z[0], "ZONE_END", z[1]) for z in zones[core]])
        assert sorted((t & 0xffffffff, *rest) for t, *rest in found) == true, f"log of {CORES[core]}"
        assert found[-1][0] - found[0][0] < 1 << 32
    assert sum(r["RISC processor type"] == "channel" for r in rows) == 2 * len(transfers)


def check_ops(out, zones, zero, bounds):
    rows = rows_of(out / "ops_perf.csv")
    assert [(r["OP CODE"], r["ATTRIBUTES"]) for r in rows if r["OP TYPE"] == "signpost"] == [
        ("warm", "from operation 10"), ("cool", "from operation 20")], "signposts"
    times = [int(r["HOST START TS"]) for r in rows]
    assert times == sorted(times)
    ops = {(r["DEVICE ID"], int(r["GLOBAL CALL COUNT"])): r for r in rows if r["OP TYPE"] != "signpost"}
    assert len(ops) == 2 * OPERATIONS, "operations"
    for slot, device in enumerate(("npu 0", "npu 1")):
        cores = [core for core, place in enumerate(CORES) if place[0] == device]
        bound = max(bounds[core] for core in cores) + TICK_NS
        for operation in range(1, OPERATIONS + 1):
            kernels = [z for core in cores for z in zones[core] if z[:2] == ("kernel", operation)]
            row = ops[(str(slot), operation)]
            begin, end = min(z[2] for z in kernels), max(z[4] for z in kernels)
            assert row["OP CODE"] == "kernel" and int(row["CORE COUNT"]) == 2, row
            near(int(row["HOST START TS"]), zero + begin * TICK_NS, bound, "start of an operation")
            near(int(row["DEVICE KERNEL DURATION [ns]"]), (end - begin) * TICK_NS, 2 * bound, "length of an operation")
    part = rows_of(out / "part_ops_perf.csv")
    counts = {int(r["GLOBAL CALL COUNT"]) for r in part if r["OP TYPE"] != "signpost"}
    assert counts == set(range(10, 20)), f"between the signposts: {sorted(counts)}"


def check_tracy(out, zones, transfers, bounds):
    places = {}
    for line in (out / "tracy.out").read_text().splitlines():
        words = line.split()
        if len(words) == 4 and ":" in words[0] and words[2].isdigit():
            places[words[1]] = (int(words[2]), int(words[3]))
    for name in NAMES:
        true = [z for of in zones for z in of if z[0] == name]
        assert places[name][0] == len(true), places
        near(places[name][1], sum(z[4] - z[2] for z in true) * TICK_NS, len(true) * 2 * (max(bounds) + TICK_NS), name)
    assert places["transfer"] == (OPERATIONS, sum(e - b for _, b, e in transfers) * TICK_NS), places


def main():
    out = pathlib.Path(sys.argv[1])
    zones, transfers = truth(out / "truth")
    table = {(r["device"], r["core"], int(r["x"]), int(r["y"])): r for r in rows_of(out / "devices.csv")}
    bounds = [int(table[core]["clock_error_ns"]) for core in CORES]
    assert all(int(r["dropped"]) == int(r["lost"]) == int(r["restarts"]) == 0 for r in table.values()), table
    zero = check_zones(*by_json(out), zones, transfers, bounds)
    if not os.environ.get("KYMO_OWN_READERS"):
        assert check_zones(*by_sql(out), zones, transfers, bounds) == zero
    check_log(out, zones, transfers)
    check_ops(out, zones, zero, bounds)
    check_tracy(out, zones, transfers, bounds)
    print(f"{sum(map(len, zones))} zones of {len(CORES)} cores, clock error up to {max(bounds)} ns: each where it was")


main()
