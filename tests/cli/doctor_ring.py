#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The size of the ring that 'hostlink doctor' names: a ring of that size loses nothing of the same work, and one of half
the size does, where there are bursts; where the line is too slow, it names no size. Usage: doctor_ring.py HOSTLINK
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from task_scenes import Scene  # noqa: E402

RECORD_BYTES = 8  # of a begin and of an end
RING_BYTES_FACT = 3


def play(work, ring_bytes, sent_per_ms):
    """work: events recorded in each millisecond, an even number. The capture of a board with such a ring, and what it lost."""
    scene, room, held, lost, all_lost = Scene(), ring_bytes // RECORD_BYTES, 0, 0, 0
    site, parity = scene.site(0, "step"), 0
    for events in work:
        held = max(0, held - sent_per_ms)
        taken = min(events, room - held) // 2 * 2
        if taken and lost:
            scene.lose(lost, 1)
            lost = 0
        for _ in range(taken):
            scene.event(("ZONE_BEGIN", "ZONE_END")[parity], site if not parity else 0)
            parity ^= 1
        held += taken
        lost += events - taken
        all_lost += events - taken
        scene.wait(1000)
    if lost:
        scene.lose(lost, 1)
    return scene, all_lost


def examine(hostlink, scene, ring_bytes):
    with tempfile.NamedTemporaryFile(suffix=".kymo") as file:
        file.write(with_ring(scene, ring_bytes))
        file.flush()
        done = subprocess.run([hostlink, "doctor", file.name], capture_output=True, text=True, check=False)
    assert done.returncode == 8, done
    line = next(line for line in done.stdout.splitlines() if re.match(r" *\d+\. ring ", line))
    return line


def with_ring(scene, ring_bytes):
    scene.facts = [(RING_BYTES_FACT, ring_bytes.to_bytes(4, "little"))]
    return scene.capture()


def main(hostlink):
    for ring, sent, burst, calm in ((4096, 20, 30, 300), (1024, 6, 60, 700)):
        work = [0] * 50 + ([sent * 4] * burst + [sent // 4 * 2] * calm) * 2
        scene, lost = play(work, ring, sent)
        assert lost > 0
        line = examine(hostlink, scene, ring)
        size = int(re.search(r"KYMO_RING_BYTES=(\d+) \(now %d\) would have held the longest burst" % ring, line).group(1))
        assert size > ring and size & (size - 1) == 0, line
        assert play(work, size, sent)[1] == 0, (line, play(work, size, sent)[1])
        assert play(work, size // 2, sent)[1] > 0, line
    work = [100] * 200
    scene, lost = play(work, 4096, 40)
    line = examine(hostlink, scene, 4096)
    times = float(re.search(r"no ring is large enough: .* must send ([0-9.]+) times as fast", line).group(1))
    assert 2.3 < times < 2.7, line


main(sys.argv[1])
