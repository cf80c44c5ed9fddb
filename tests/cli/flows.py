# SPDX-License-Identifier: MIT
"""Flows and asynchronous zones that are played here, so that each is known; a microsecond is a tick.

  flows.py make [OPEN] > CAPTURE             OPEN: so many flows and zones more are open at once
  flows.py table EVENTS.csv TABLE.csv        'hostlink stats --flows --csv' is what the events say
"""
import collections
import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from task_scenes import Scene  # noqa: E402

LAST_ID = (1 << 64) - 1


class Flows(Scene):
    """Lane 1 sends, lane 0 receives: of one microsecond the lane with the lower number comes first."""

    def __init__(self):
        super().__init__(lanes=2)
        self.radio, self.none = self.interrupt("radio"), self.site(8, None)
        self.jobs, self.far, self.dma = self.site(8, "jobs"), self.site(8, "jobs"), self.site(8, "dma")

    def flow(self, kind, site, number, lane=0):
        words = [number & 0xffffffff, number >> 32]
        self.event(kind, site, words if words[1] else words[:1], lane)


def play(open_at_once):
    scene = Flows()
    jobs, far, dma = scene.jobs, scene.far, scene.dma
    for number in range(100):
        scene.flow("FLOW_SEND", jobs, LAST_ID - number, lane=1)
        scene.wait(number % 7)
        if number % 3 == 0:
            scene.flow("FLOW_STEP", far, LAST_ID - number)
        scene.wait(3 if number % 10 else 0)
        scene.run(scene.radio)
        scene.flow("FLOW_RECEIVE", far, LAST_ID - number)
        scene.run(1)
        scene.wait(2)
    scene.flow("FLOW_SEND", scene.none, 7, lane=1)
    scene.flow("FLOW_RECEIVE", scene.none, 7)  # of the microsecond in which it was sent
    scene.flow("FLOW_RECEIVE", jobs, 7)  # another name: it was never sent
    scene.flow("FLOW_STEP", jobs, 8)
    scene.flow("FLOW_SEND", jobs, 9, lane=1)
    scene.wait(5)
    scene.flow("FLOW_SEND", jobs, 9, lane=1)  # again: the first one was lost
    scene.wait(4)
    scene.flow("FLOW_RECEIVE", jobs, 9)
    scene.flow("ASYNC_END", dma, 1)  # never began
    scene.flow("ASYNC_BEGIN", dma, 1)
    scene.wait(10)
    scene.flow("ASYNC_BEGIN", dma, 2, lane=1)
    scene.wait(10)
    scene.flow("ASYNC_END", dma, 1, lane=1)
    scene.flow("ASYNC_BEGIN", dma, 3)
    scene.wait(30)
    scene.flow("ASYNC_BEGIN", dma, 3, lane=1)  # the one before did not end
    scene.flow("ASYNC_END", dma, 2)
    scene.wait(1)
    scene.lose(5, 20)
    scene.flow("ASYNC_END", dma, 3)
    scene.flow("ASYNC_END", dma, 4)  # its begin may be among what was lost
    for number in range(open_at_once):
        scene.flow("FLOW_SEND", jobs, number << 20, lane=1)
        scene.flow("ASYNC_BEGIN", dma, number << 20)
        scene.wait(1)
    for number in range(open_at_once):
        scene.flow("FLOW_RECEIVE", jobs, number << 20)
        scene.flow("ASYNC_END", dma, number << 20, lane=1)
        scene.wait(1)
    scene.flow("FLOW_SEND", jobs, 77, lane=1)  # not received when the capture ends
    scene.flow("ASYNC_BEGIN", dma, 77)
    scene.wait(9)
    return scene.capture()


def reckon(path):
    """By name and form: what began, how long each took that ended, what did not end, and what had not begun."""
    begun, took, lost, orphans = (collections.Counter(), collections.defaultdict(list), collections.Counter(),
                                  collections.Counter())
    going = {}
    for row in csv.DictReader(open(path, newline="", encoding="utf-8")):
        of, _, what = row["kind"].partition(" ")
        name, key = (row["name"], of), (row["name"], of, row["value"])
        if of == "async" and what == "end" and row["text"]:
            lost[name] += going.pop(key, None) is not None
        elif what in ("send", "begin") and of in ("flow", "async"):
            lost[name] += key in going
            begun[name] += 1
            going[key] = int(row["time_ns"])
        elif what in ("receive", "end") and of in ("flow", "async"):
            if key in going:
                took[name].append(int(row["time_ns"]) - going.pop(key))
            else:
                orphans[name] += 1
    for name, of, _ in going:
        lost[name, of] += 1
    return begun, took, lost, orphans


def table(events, path):
    begun, took, lost, orphans = reckon(events)
    rows = list(csv.DictReader(open(path, newline="", encoding="utf-8")))
    wrong = []
    if {(row["name"], row["is"]) for row in rows} != {(name, {"async": "zone"}.get(of, of)) for name, of in begun}:
        wrong.append(f"names: {rows}")
    for row in rows:
        name = row["name"], {"zone": "async"}.get(row["is"], row["is"])
        times = sorted(took[name])
        wanted = {"sent": begun[name], "count": len(times), "lost": lost[name], "not_sent": orphans[name],
                  "max_ns": times[-1], "mean_ns": sum(times) // len(times)}
        wrong += [f"{name}: {key} is {row[key]}, should be {value}" for key, value in wanted.items()
                  if int(row[key]) != value]
        for key, percent in (("p50_ns", 50), ("p99_ns", 99)):
            rank = times[max((len(times) * percent + 99) // 100, 1) - 1]
            if abs(int(row[key]) - rank) > rank / 50:
                wrong.append(f"{name}: {key} is {row[key]}, should be {rank}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        sys.stdout.buffer.write(play(int(sys.argv[2]) if len(sys.argv) > 2 else 0))
    else:
        table(*sys.argv[2:])
