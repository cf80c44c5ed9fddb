# SPDX-License-Identifier: MIT
"""Two devices of two cores that are played here, so that each record is known; a microsecond is a tick of all clocks.

  devices.py make SESSION ADDRESS ... > CAPTURE  where the ELF file of one of them has its sites
  devices.py back > CAPTURE          of a device whose time goes back once, and whose clock is set back twice
  devices.py json OUT.json [BOARD ...]  its processes and rows are in the order of their places
  devices.py log OUT.csv [BOARD ...]    a device log is what was played
  devices.py ops OUT.csv [BOARD ...]    and so are its operations; of several boards that were merged, each as it is
  devices.py engine > CAPTURE        of an engine with a queue
  devices.py arrows OUT.json         what it does, and the arrows from its queue
  devices.py table OUT.csv              the table of devices
"""
import csv
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))
import wire_encoder  # noqa: E402
from wire_packets import FILE_HEAD  # noqa: E402

HZ = 1000000
NAMES = ["load", "matmul", "store, \\\"all\\\"", "depth"]
BLOCKS = [("npu 0", "trisc", 7, 2), ("npu 0", "brisc", 2, 1), ("npu 1", "brisc", 2, 1), ("npu 0", "trisc", 2, 1)]
RUNS = [0, 12]
# The engine's transfers: when each was submitted, began and ended.
TRANSFERS = [(12000, 12100, 12500), (12300, 12500, 12900), (12400, 12900, 13000)]


def zones():
    """Block, run, site, begin and end of each zone, in ticks."""
    for run_at, run in enumerate(RUNS):
        for block in range(len(BLOCKS)):
            begin = 10000 * (run_at + 1) + 100 * block
            yield block, run, run_at, begin, begin + 700 + 10 * block


def records(block):
    """The words of a block's records."""
    for of, run, site, begin, end in zones():
        if of == block:
            yield begin - 5, run << 3 | 4
            yield begin, site << 3
            yield begin + 1, 3 << 3 | 3
            yield 0xfffffff9, 0xfffffffe
            yield begin + 2, 2 << 3 | 2
            yield end, 1


def capture(session, addresses):
    sequence = 0
    packets = [f'SESSION session={session} hz={HZ} now=1000 flags=0 sites=0 pointer=4 image="grid" lanes=1 names="core 0"']
    for number, (device, core, x, y) in enumerate(BLOCKS):
        elf = number == 3
        packets.append(f'DEVICE flags=1 number={number} first=0 refused=0 now=2000 ago=10 sites={int(not elf)} x={x} '
                       f'y={y} hz=0 device="{device}" core="{core}"')
        if not elf:
            packets.append("\n".join([f"DEVICE flags=4 number={number} first=0"] + [f'NAME name="{n}"' for n in NAMES]))
    for number in range(len(BLOCKS)):
        words = [(first, addresses[second >> 3] | second & 7 if number == 3 and second & 7 in (0, 2, 3) else second)
                 for first, second in records(number)]
        packets.append("\n".join([f"DEVICE flags=8 number={number} first=0 refused=0 now=30000 ago=28000"]
                                 + [f"RECORD words={first:#x},{second:#x}" for first, second in words]))
    packets.append("STATUS flags=2 now=40000\nLANE events=0 refused=0")
    out = FILE_HEAD
    for text in packets:
        head, _, rest = text.partition(" ")
        out += wire_encoder.on_the_wire(f"{head} sequence={sequence & 255} {rest}")
        sequence += 1
    return out


def capture_engine():
    """Of an engine that tells afterwards: each transfer is submitted while the one before runs."""
    texts = [f'SESSION session=0x8 hz={HZ} now=1000 flags=0 sites=1 pointer=4 image="grid" lanes=1 names="core 0"',
             'SITES first=0\nSITE kind=0 level=0 line=7 detail=0 color=0 name="transfer" function="" file="dma.c"',
             'DEVICE flags=1 number=0 first=0 refused=0 now=2000 ago=10 sites=2 x=0 y=0 hz=0 device="dma" core="channel"',
             "\n".join(["DEVICE flags=8 number=0 first=0 refused=0 now=30000 ago=28000"]
                       + [f"RECORD words={submitted},5\nRECORD words={begin},0\nRECORD words={end},1"
                          for submitted, begin, end in TRANSFERS]),
             "STATUS flags=2 now=40000\nLANE events=0 refused=0"]
    heads = (text.partition(" ") for text in texts)
    return FILE_HEAD + b"".join(wire_encoder.on_the_wire(f"{head} sequence={at} {rest}") for at, (head, _, rest) in enumerate(heads))


def check_engine(path):
    events = json.load(open(path, encoding="utf-8"))["traceEvents"]
    rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    found = {phase: [(e["ts"], rows[(e["pid"], e["tid"])]) for e in events if e["ph"] == phase
                     and (phase != "B" or "flow" not in e.get("cat", ""))] for phase in "sfB"}
    submitted, begun, _ = zip(*TRANSFERS)
    assert found == {"s": [(at, "0,0 channel queue") for at in submitted], "f": [(at, "0,0 channel") for at in begun],
                     "B": [(at, "0,0 channel") for at in begun]}, found


def capture_back():
    """Ticks of its records, packet by packet."""
    packets = [[900000000, 899999900], [7], [50000], [9]]
    texts = [f'SESSION session=0x7 hz={HZ} now=1000 flags=0 sites=0 pointer=4 image="grid" lanes=1 names="core 0"']
    first = 0
    for number, ticks in enumerate(packets):
        head = f"DEVICE flags={int(number == 0)} number=0 first={first} refused=0 now={10000 + 100000 * number} ago=5000"
        head += ' sites=1 x=2 y=1 hz=1000000 device="npu 0" core="brisc"' if number == 0 else ""
        texts.append("\n".join([head] + [f"RECORD words={low:#x},{2}" for low in ticks]))
        first += len(ticks)
    texts.append("STATUS flags=2 now=900000\nLANE events=0 refused=0")
    heads = (text.partition(" ") for text in texts)
    return FILE_HEAD + b"".join(wire_encoder.on_the_wire(f"{head} sequence={at} {rest}") for at, (head, _, rest) in enumerate(heads))


def check_json(path, boards=()):
    events = json.load(open(path, encoding="utf-8"))
    events = events["traceEvents"] if isinstance(events, dict) else events
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    names = ["grid (%s)" % board for board in boards] or ["grid"]
    names += [f"{board}/{name}" for board in boards for name in ("npu 0", "npu 1")] or ["npu 0", "npu 1"]
    assert sorted(processes.values()) == sorted(names), processes
    rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    places = {(e["pid"], e["tid"]): e["args"]["sort_index"] for e in events if e["name"] == "thread_sort_index"}
    shown = [rows[key] for key in sorted(places, key=lambda key: (processes[key[0]], places[key], key[1]))]
    expected = ["2,1 brisc", "2,1 trisc", "7,2 trisc", "2,1 brisc"]
    assert shown == ([f"{board}/{row}" for board in boards for row in expected] or expected), shown
    assert sum(e["ph"] == "B" for e in events) == len(list(zones())) * max(len(boards), 1), "zones"


def lines_of(path):
    head, *rows = open(path, newline="", encoding="utf-8").read().splitlines()
    return head, list(csv.DictReader(rows, skipinitialspace=True))


def check_log(path, boards=("",)):
    head, rows = lines_of(path)
    assert head.startswith("ARCH: ") and "CHIP_FREQ[MHz]: 1" in head, head
    new = "type" in rows[0]
    phase, run_id = ("type", "run host ID") if new else ("zone phase", "Run ID")
    kinds = ("ZONE_START", "ZONE_END") if new else ("begin", "end")
    seen = [(int(r["PCIe slot"]), r["core_x"], r["core_y"], r["RISC processor type"], int(r[run_id]), r["zone name"],
             int(r["time[cycles since reset]"]), r[phase]) for r in rows if r[phase] in kinds]
    slots = {"npu 0": 0, "npu 1": 1}
    expected = []
    for board, (block, run, site, begin, end) in ((b, z) for b in range(len(boards)) for z in zones()):
        device, core, x, y = BLOCKS[block]
        name, slot = NAMES[site].replace("\\", ""), 2 * board + slots[device]
        expected += [(slot, str(x), str(y), core, run, name, begin, kinds[0]),
                     (slot, str(x), str(y), core, run, name, end, kinds[1])]
    wrong = [pair for pair in zip(sorted(seen), sorted(expected)) if pair[0] != pair[1]]
    assert len(seen) == len(expected) and not wrong, wrong[:3]
    ids = {}
    for row in rows:
        assert ids.setdefault((row["zone name"], row["source line"]), row["timer_id"]) == row["timer_id"], row
    if new:
        values = [row for row in rows if row["type"] == "TS_DATA"]
        assert [int(row["data"]) for row in values] == [-7 & (1 << 64) - 1] * len(boards) * len(list(zones())), values[:2]
        assert sum(row["type"] == "TS_EVENT" for row in rows) == len(boards) * len(list(zones()))


def check_ops(path, boards=("",)):
    rows = list(csv.DictReader(open(path, newline="", encoding="utf-8")))
    expected = []
    for slot, device in enumerate(["npu 0", "npu 1"] * len(boards)):
        last = None
        for run in RUNS:
            of = [z for z in zones() if BLOCKS[z[0]][0] == device and z[1] == run]
            begin, end = min(z[3] for z in of), max(z[4] for z in of)
            places = {BLOCKS[z[0]][2:] for z in of}
            lengths = []
            for place in places:
                here = [z for z in of if BLOCKS[z[0]][2:] == place]
                lengths.append(max(z[4] for z in here) - min(z[3] for z in here))
            expected.append({"DEVICE ID": str(slot), "GLOBAL CALL COUNT": str(run), "CORE COUNT": str(len(places)),
                             "OP CODE": NAMES[of[0][2]],
                             "DEVICE KERNEL DURATION [ns]": str((end - begin) * 1000),
                             "DEVICE KERNEL DURATION PER CORE MIN [ns]": str(min(lengths) * 1000),
                             "DEVICE KERNEL DURATION PER CORE MAX [ns]": str(max(lengths) * 1000),
                             "OP TO OP LATENCY [ns]": str((begin - last) * 1000) if last else "0"})
            last = end
            expected[-1]["HOST START TS"] = str(begin * 1000)
    expected.sort(key=lambda row: int(row["HOST START TS"]))
    found = [{key: row[key] for key in expected[0]} for row in rows]
    for table in (found, expected):  # since the first one
        first = int(table[0]["HOST START TS"])
        for row in table:
            row["HOST START TS"] = int(row["HOST START TS"]) - first
    assert found == expected, list(zip(found, expected))


def check_table(path):
    rows = list(csv.DictReader(open(path, newline="", encoding="utf-8")))
    busy = {}
    for block, _, _, begin, end in zones():
        device, core, x, y = BLOCKS[block]
        count, ns = busy.get((device, core, x, y), (0, 0))
        busy[(device, core, x, y)] = (count + 1, ns + (end - begin) * 1000)
    found = {(row["device"], row["core"], int(row["x"]), int(row["y"])): (int(row["zones"]), int(row["busy_ns"]))
             for row in rows}
    assert found == busy, (found, busy)
    last = max(zone[4] for zone in zones()) * 1000
    for row in rows:
        assert abs(float(row["busy_percent"]) - 100 * int(row["busy_ns"]) / last) < 0.01, row
        assert [row[key] for key in ("dropped", "lost", "clock_error_ns", "restarts")] == ["0"] * 4, row


def main():
    what, *rest = sys.argv[1:]
    if what == "make":
        sys.stdout.buffer.write(capture(rest[0], [int(address, 16) for address in rest[1:]]))
    elif what == "engine":
        sys.stdout.buffer.write(capture_engine())
    elif what == "back":
        sys.stdout.buffer.write(capture_back())
    else:
        {"json": check_json, "log": check_log, "ops": check_ops, "table": check_table, "arrows": check_engine}[what](rest[0], *[rest[1:]] if rest[1:] else [])


main()
