# SPDX-License-Identifier: MIT
"""Judges what hostlink made of the demo's trace by what the firmware itself counted and printed.

Usage: judge.py DIR [SUBDIR]: DIR/capture.out and DIR/capture.err are what hostlink printed, DIR/SUBDIR
holds demo.csv, demo.json and demo.pftrace. Exit status 1 and a line for each thing that is wrong. With KYMO_OWN_READERS
in the environment the files are read here only, and not by the programs of tests/validate.
"""
import collections
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it was
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "validate"))
import outputs  # noqa: E402

wrong = []


def expect(what, seen, expected):
    if seen != expected:
        wrong.append(f"{what}: {seen}, should be {expected}")


class Firmware:
    """The lines "demo: KIND SUM NAME TIMES NAME TIMES ..." and "demo: emitted N" of the board."""

    KINDS = ("zones", "notes", "messages", "plots", "frames", "allocs", "frees", "switches")

    def __init__(self, text):
        self.counts = {kind: collections.Counter() for kind in self.KINDS}
        self.emitted = None
        for line in re.findall(r"demo: (.*)", text):
            words = line.split()
            if words[0] in self.KINDS:
                pairs = collections.Counter()
                for name, times in zip(words[2::2], words[3::2]):
                    pairs[name] += int(times)
                expect(f"sum of '{line[:40]}...'", int(words[1]), sum(pairs.values()))
                self.counts[words[0]].update(pairs)
            elif words[0] == "emitted":
                self.emitted = int(words[1])

    def total(self, kind):
        return sum(self.counts[kind].values())

    def zones(self):
        return {name: times for name, times in self.counts["zones"].items() if times}


def check_totals(text, firmware):
    found = re.findall(r"^events: emitted (\d+) delivered (\d+) lost (\d+)$", text, re.M)
    if len(found) != 1:
        wrong.append("no line 'events: emitted N delivered N lost N'")
        return
    emitted, delivered, lost = map(int, found[0])
    expect("lost", lost, 0)
    expect("delivered + lost", delivered + lost, emitted)
    expect("emitted", emitted, firmware.emitted)


def check_csv(path, firmware):
    with open(path, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    expect("zones in demo.csv", {row["name"]: int(row["counts"]) for row in rows}, firmware.zones())
    for row in rows:
        least, mean, most = (int(row[key]) for key in ("min_ns", "mean_ns", "max_ns"))
        if not 0 <= least <= mean <= most:
            wrong.append(f"demo.csv: {row['name']}: min {least} mean {mean} max {most}")


class Rows:
    """The rows of a viewer: zones nest by name, time does not go back."""

    def __init__(self, what):
        self.what = what
        self.open = collections.defaultdict(list)
        self.last = {}
        self.begun = collections.Counter()

    def at(self, row, time):
        if time < self.last.get(row, time):
            wrong.append(f"{self.what}: time goes back on {row} at {time}")
        self.last[row] = time

    def begin(self, row, time, name):
        self.at(row, time)
        self.open[row].append(name)
        self.begun[name] += 1

    def end(self, row, time, name=None):
        self.at(row, time)
        if not self.open[row]:
            wrong.append(f"{self.what}: an end without a begin on {row} at {time}")
            return
        begun = self.open[row].pop()
        if name is not None and begun != name:
            wrong.append(f"{self.what}: {begun} is ended as {name} at {time}")

    def finish(self, firmware):
        left = {row: names for row, names in self.open.items() if names}
        expect(f"{self.what}: zones left open", left, {})
        zones = firmware.zones()
        expect(f"{self.what}: zones", {name: self.begun[name] for name in zones}, zones)


def check_json(path, firmware):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    rows = Rows("demo.json")
    instants = collections.Counter()
    counters = collections.Counter()
    for event in events:
        row = (event["pid"], event["tid"])
        if event["ph"] == "B":
            rows.begin(row, event["ts"], event["name"])
        elif event["ph"] == "E":
            rows.end(row, event["ts"], event.get("name"))
        elif event["ph"] == "i":
            rows.at(row, event["ts"])
            instants[event.get("cat")] += 1
        elif event["ph"] == "C":
            counters[event["name"]] += 1
    rows.finish(firmware)
    plots = firmware.counts["plots"]
    expect("demo.json: plots", {name: counters[name] for name in plots}, dict(plots))
    expect("demo.json: messages", instants["message"], firmware.total("messages"))
    expect("demo.json: frames", instants["frame"], firmware.total("frames"))
    expect("demo.json: allocs and frees", instants["memory"],
           firmware.total("allocs") + firmware.total("frees"))


def varint(data, position):
    """A number of the message, and where it ends."""
    value = shift = 0
    while data[position] >= 0x80:
        value |= (data[position] & 0x7F) << shift
        shift += 7
        position += 1
    return value | data[position] << shift, position + 1


def fields(data):
    """The fields of a protobuf message: (number, value); bytes for wire type 2. Most numbers are of one byte."""
    found, position = [], 0
    while position < len(data):
        key, position = data[position], position + 1
        if key >= 0x80:
            key, position = varint(data, position - 1)
        kind = key & 7
        if kind in (0, 2):
            length, position = data[position], position + 1
            if length >= 0x80:
                length, position = varint(data, position - 1)
            if kind == 0:
                found.append((key >> 3, length))
                continue
        else:
            length = {1: 8, 5: 4}[kind]
        found.append((key >> 3, data[position:position + length]))
        position += length
    return found


class Sequence:
    """A packet sequence: its default track, its own clock, its interned names."""

    def __init__(self):
        self.track = None
        self.time = 0
        self.names = {}

    def see(self, packet):
        """Takes over what the packet changes; packet: its fields by number, none of which is there twice."""
        in_full = 58 in packet  # timestamp_clock_id: a time before the last one is not a step
        for number, value in packet.items():
            if number == 59:  # trace_packet_defaults: track_event_defaults: track_uuid
                self.track = dict(fields(dict(fields(value))[11]))[11]
            elif number == 6:  # clock_snapshot: clocks: id, timestamp; 64 is the sequence's own
                for _, clock in fields(value):
                    clock = dict(fields(clock))
                    self.time = clock[2] if clock[1] == 64 else self.time
            elif number == 8 and not in_full:  # timestamp, since the packet before
                self.time += value
            elif number == 12:  # interned_data: event_names: iid, name
                for _, entry in (part for part in fields(value) if part[0] == 2):
                    entry = dict(fields(entry))
                    self.names[entry[1]] = entry[2].decode()


def check_perfetto(path, firmware):
    """Field numbers: perfetto's protos/perfetto/trace/trace_packet.proto and track_event/track_event.proto."""
    with open(path, "rb") as file:
        raw = subprocess.run(["protoc", "--decode_raw"], stdin=file, stdout=subprocess.DEVNULL, check=False)
    expect("protoc --decode_raw", raw.returncode, 0)
    sequences = collections.defaultdict(Sequence)
    rows = Rows("demo.pftrace")
    counters = 0
    for number, packet in fields(path.read_bytes()):
        expect("field of Trace", number, 1)
        packet = dict(fields(packet))
        sequence = sequences[packet[10]]  # trusted_packet_sequence_id
        sequence.see(packet)
        if 11 not in packet:  # track_event
            continue
        event = dict(fields(packet[11]))
        row = event.get(11, sequence.track)  # track_uuid
        kind = event.get(9)  # type
        if kind == 1:  # slice begin
            name = event[23].decode() if 23 in event else sequence.names[event[10]]
            rows.begin(row, sequence.time, name)
        elif kind == 2:  # slice end
            rows.end(row, sequence.time)
        else:
            rows.at(row, sequence.time)
            counters += kind == 4
    rows.finish(firmware)
    # Each plot has a counter, and each allocation and each free moves that of its pool.
    expect("demo.pftrace: counters", counters, sum(map(firmware.total, ("plots", "allocs", "frees"))))


def check_readers(folder, firmware):
    """The same counts as programs see them that are not ours: tests/validate/outputs.py."""
    wrong.extend(outputs.check_folder(folder, "demo", {
        "zones": firmware.total("zones"), "messages": firmware.total("messages"), "plots": firmware.total("plots"),
        "frames": firmware.total("frames"), "memory": firmware.total("allocs") + firmware.total("frees"),
        "lost": 0, "gaps": 0, "repaired": 0, "sessions": 1}))


def main():
    folder = pathlib.Path(sys.argv[1])
    results = folder / sys.argv[2] if len(sys.argv) > 2 else folder
    printed = "".join((folder / name).read_text(errors="replace") for name in ("capture.out", "capture.err"))
    firmware = Firmware(printed)
    if firmware.emitted is None:
        sys.exit("the board's line 'demo: emitted N' is not in what hostlink printed")
    # The demo's one-core run, which tests/e2e/one_core.sh asks for: here the machine has all that the board uses.
    expect("'no second core' in what the firmware printed", "no second core" in printed, False)
    check_totals(printed, firmware)
    check_csv(results / "demo.csv", firmware)
    check_json(results / "demo.json", firmware)
    check_perfetto(results / "demo.pftrace", firmware)
    if not os.environ.get("KYMO_OWN_READERS"):
        check_readers(results, firmware)
    for line in wrong[:20]:
        print(f"{results}: {line}")
    sys.exit(1 if wrong else 0)


main()
