# SPDX-License-Identifier: MIT
"""Flows between two cores with counters of their own; a microsecond is a tick.

  cores.py make > CAPTURE     core 1's clock is set twice: 5 us off, then 13; it was off by up to 40
  cores.py never > CAPTURE    core 0 does not answer it
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from task_scenes import Scene  # noqa: E402

NEVER = 0xffffffff


def fact(lane, error, times, most):
    return f"INFO sequence=9\nFACT type=1 value=302e31\nFACT type=17 value={bytes([lane]).hex()}" + "".join(n.to_bytes(4, "little").hex() for n in (error, times, most))


def play(facts):
    scene = Scene(lanes=2)
    jobs = scene.site(8, "jobs")
    for number in range(100):
        for kind, lane in (("FLOW_SEND", 1), ("FLOW_RECEIVE", 0)):
            scene.event(kind, jobs, [number], lane)
            scene.wait(number)
        scene.wait(1)
        if number == 49:
            scene.flush(0)
            scene.flush(1)
            scene.packets.append(facts[1])
    scene.packets.insert(0, facts[0])
    return scene


FACTS = {"make": (fact(1, 5, 1, 5), fact(1, 13, 2, 40)), "never": (fact(1, NEVER, 0, NEVER),) * 2}
sys.stdout.buffer.write(play(FACTS[sys.argv[1]]).capture())
