# SPDX-License-Identifier: MIT
"""'hostlink import' of Chrome's JSON against Perfetto's own trace processor: it reads the JSON itself, and hostlink's Perfetto
output of it, and must find the same slices and counters in both.

Usage: imports.py HOSTLINK FOLDER
"""
import json
import pathlib
import random
import subprocess
import sys

from outputs import HERE, trace_processor

# Times from the first event on; the depth tells a slice's parents.
SLICES = """
    select s.name, s.ts - (select min(ts) from (select ts from slice union all select ts from counter)), s.dur, s.depth
    from slice s where s.category is null or s.category = 'test' order by 2, 4, 1, 3"""
COUNTERS = """
    select replace(t.name, ' value', ''), c.value, c.ts - (select min(ts) from (select ts from slice union all select ts from counter))
    from counter c join counter_track t on c.track_id = t.id order by 3, 1, 2"""


class Maker:
    """Slices that nest, of phases X, B and E, and counters, in any order in the file; all times different."""

    def __init__(self, seed, rows, zones):
        self.draw, self.rows, self.zones, self.events = random.Random(seed), rows, zones, []
        self.taken = set()

    def time(self, low, high):
        while True:
            time = self.draw.randrange(low, high)
            if time not in self.taken:
                self.taken.add(time)
                return time

    def slices(self, row, low, high, depth):
        if high - low < 40 or depth == 12 or self.zones == 0:
            return
        begin, end = sorted((self.time(low + 1, high), self.time(low + 1, high)))
        name, where = f"zone {self.draw.randrange(30)}", {"pid": row % 3, "tid": row, "cat": "test"}
        self.zones -= 1
        if self.draw.random() < 0.5:
            self.events.append({"name": name, "ph": "X", "ts": begin / 1000, "dur": (end - begin) / 1000, "args": {"n": depth}} | where)
        else:
            self.events += [{"name": name, "ph": "B", "ts": begin / 1000} | where, {"name": name, "ph": "E", "ts": end / 1000} | where]
        self.slices(row, begin, end, depth + 1)
        self.slices(row, end, high, depth)

    def make(self):
        share = self.zones // self.rows
        for row in range(self.rows):
            self.zones = share
            self.slices(row, 1000000, 90000000, 0)
            self.events.append({"name": "load", "ph": "C", "pid": row % 3, "ts": self.time(1000000, 90000000) / 1000,
                                "args": {"value": self.draw.randrange(100) / 4}})
        self.draw.shuffle(self.events)
        names = [{"name": "thread_name", "ph": "M", "pid": row % 3, "tid": row, "args": {"name": f"worker {row}"}}
                 for row in range(self.rows)]
        return {"traceEvents": self.events + names}


def main():
    hostlink, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    if subprocess.run([HERE / "fetch.sh"], check=False).returncode != 0:
        sys.exit("the reader is not there")
    for rows, zones in ((150, 4000),):
        source, made = folder / f"{rows}.json", folder / f"{rows}.pftrace"
        source.write_text(json.dumps(Maker(rows, rows, zones).make()), encoding="utf-8")
        subprocess.run([hostlink, "import", "-q", source, "-o", made], check=True)
        theirs, ours = (trace_processor(path, {"slices": SLICES, "counters": COUNTERS}) for path in (source, made))
        assert len(theirs["slices"]) > zones // 3, len(theirs["slices"])
        for what in ("slices", "counters"):
            assert len(theirs[what]) == len(ours[what]), (what, len(theirs[what]), len(ours[what]))
            for number, (their, our) in enumerate(zip(theirs[what], ours[what])):
                assert their == our, (what, number, their, our)
        print(f"{rows} rows: {len(ours['slices'])} slices, {len(ours['counters'])} counters")


main()
