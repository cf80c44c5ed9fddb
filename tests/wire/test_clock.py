#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What hostlink says of a board whose clock does not run as it should or whose cores lack a lane, seen in captures that
hold nothing else. Usage: test_clock.py HOSTLINK"""
import csv
import os
import subprocess
import sys
import tempfile

from wire_encoder import on_the_wire

STANDS = "the board's clock does not run"
STOOD = "the board's clock stood still at its start, so it records nothing"
UNKNOWN_LANE = "the board refuses events of a core that has no lane"
DIFFERS = "the board says that its clock runs at 1000000 Hz, against the host's it runs at about 2000000 Hz, so times are wrong: set KYMO_CLOCK_HZ"
DIFFERS_FAR = DIFFERS.replace("about 2000000", "about 52000000")
WRAPS = "so times are wrong: set KYMO_CLOCK_HZ to its true rate; if that is right, wraps were missed"
SET_BACK = "the counter of the board's clock was set back by about 0.500 s"
UNSEEN = "may have wrapped unseen"
WRAP = 1 << 32
failures = 0


def board(sessions):
    """A session and a status with each pair of flags."""
    lines = []
    for number, (session, status) in enumerate(sessions):
        lines += [f'SESSION sequence={2 * number} session=7 hz=1000000 now=1000000 flags={session} sites=0 pointer=4'
                  ' image="core" lanes=1 names=""',
                  f"STATUS sequence={2 * number + 1} flags={status} now=1000000"
                  + (" unknown_lane=300" if status & 4 else "") + "\nLANE events=0 refused=0"]
    return b"".join(on_the_wire(line) for line in lines)


def capture(said_hz, ticks_a_second, seconds):
    """A status each second, each behind what the host's clock was then."""
    lines = [f'SESSION sequence=0 session=7 hz={said_hz} now=1000000 flags=1 sites=0 pointer=4 image="clock"'
             ' lanes=1 names=""']
    for second in range(seconds + 1):
        lines.append(f"HOST_CLOCK sequence=0 monotonic_ns={(second + 1) * 10**9} unix_ns={(second + 1) * 10**9}")
        lines.append(f"STATUS sequence={second + 1} flags=2 now={1000000 + second * ticks_a_second}\n"
                     "LANE events=0 refused=0")
    return b"".join(on_the_wire(line) for line in lines)


def zones(jumps, seconds, sleeps=0, usage=0):
    """A zone of 100 ms each second, by a clock that jumps by so much within a packet of its second. The host's monotonic clock
    stands still for "sleeps" seconds before the last one."""
    lines = ['SESSION sequence=0 session=7 hz=1000000 now=1000000 flags=1 sites=1 pointer=4 image="clock" lanes=1 names=""',
             'SITES sequence=1 first=0\n'
             'SITE kind=0 level=0 line=1 detail=0x0 color=0x0 name="zone" function="" file=""']
    now = 1000000
    for second in range(seconds + 1):
        late = sleeps if second == seconds else 0
        lines.append(f"HOST_CLOCK sequence=0 monotonic_ns={(second + 1) * 10**9} unix_ns={(second + 1 + late) * 10**9}")
        now += late * 1000000
        jump = jumps.get(second, 0)
        lines.append(f"EVENTS sequence={2 + 2 * second} lane=0 slots=8 count=4 first={4 * second} time={now} context=1\n"
                     f"ZONE_BEGIN ticks={now} reference=0\nZONE_END ticks={now + 100000}\n"
                     f"ZONE_BEGIN ticks={now + jump + 200000} reference=0\nZONE_END ticks={now + jump + 300000}")
        now += jump + 1000000
        told = usage if second >= max(jumps, default=0) else 0
        at = f"monotonic_ns={second * 10**9 + 1300000000} unix_ns={(second + late) * 10**9 + 1300000000}"
        lines.append(f"HOST_CLOCK sequence=0 {at}")
        lines.append(f"STATUS sequence={3 + 2 * second} flags={10 if told else 2} now={now - 700000}"
                     + (f" usage={told}" if told else "") + f"\nLANE events={4 * second + 4} refused=0")
    return b"".join(on_the_wire(line) for line in lines)


def steps_back(ticks):
    """Two packets of a lane: the second begins so many ticks before the first ends."""
    lines = ['SESSION sequence=0 session=7 hz=1000000 now=1000000 flags=1 sites=1 pointer=4 image="clock" lanes=1 names=""',
             'SITES sequence=1 first=0\n'
             'SITE kind=0 level=0 line=1 detail=0x0 color=0x0 name="zone" function="" file=""']
    for number, now in enumerate((9000000, 9000300 - ticks)):
        lines.append(f"EVENTS sequence={2 + number} lane=0 slots=8 count=2 first={2 * number} time={now} context=1\n"
                     f"ZONE_BEGIN ticks={now} reference=0\nZONE_END ticks={now + 300}")
    lines.append("STATUS sequence=4 flags=2 now=9100000\nLANE events=4 refused=0")
    return b"".join(on_the_wire(line) for line in lines)


def check_repairs(what, stream, is_repaired):
    global failures
    with tempfile.NamedTemporaryFile(suffix=".kymo") as file:
        file.write(stream)
        file.flush()
        done = subprocess.run([hostlink, "stats", file.name], capture_output=True, text=True, check=False)
    if ("repair" in done.stderr) != is_repaired or done.returncode:
        failures += 1
        print(f"FAILED: {what}:\n{done.stderr}")


def check_times(what, stream, step_s):
    """Zones begin as many seconds after each other as they should, within 100 ms."""
    global failures
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/x.kymo", "wb") as file:
            file.write(stream)
        subprocess.run([hostlink, "convert", "-q", f"{folder}/x.kymo", "-o", f"{folder}/x.events.csv"], check=True,
                       stderr=subprocess.DEVNULL)
        with open(f"{folder}/x.events.csv", encoding="utf-8") as file:
            starts = [float(line["time_ns"]) / 1e9 for line in csv.DictReader(file) if line["kind"] == "zone begin"]
    wrong = [now - before for before, now in zip(starts, starts[2:]) if abs(now - before - step_s) > 0.1]
    if wrong or len(starts) < 4:
        failures += 1
        print(f"FAILED: {what}: {starts}")


def check(what, stream, expected):
    global failures
    with tempfile.NamedTemporaryFile(suffix=".kymo") as file:
        file.write(stream)
        file.flush()
        done = subprocess.run([hostlink, "stats", file.name], capture_output=True, text=True, check=False)
    said = [text for text in (STANDS, STOOD, UNKNOWN_LANE, DIFFERS, DIFFERS_FAR, WRAPS, SET_BACK, UNSEEN) if text in done.stderr]
    in_table = done.stdout.count("clock error: ") == sum(text in (STANDS, DIFFERS, DIFFERS_FAR, WRAPS) for text in expected)
    lines = [line for line in done.stderr.splitlines() if "the board" in line]
    if said != expected or len(lines) != len(expected) or not in_table or done.returncode:
        failures += 1
        print(f"FAILED: {what}: status {done.returncode}, should say {expected}:\n{done.stderr}")


if len(sys.argv) != 2 or not os.path.exists(sys.argv[1]):
    sys.exit(__doc__)
hostlink = sys.argv[1]
check("a clock that stands still", capture(1000000, 0, 2), [STANDS])
check("a clock of unknown rate that stands still", capture(0, 0, 2), [STANDS])
check("a clock that was not watched for long enough", capture(1000000, 0, 0), [])
check("a clock that runs", capture(1000000, 1000000, 10), [])
check("a clock of unknown rate that runs", capture(0, 1000000, 10), [])
check("a clock that runs at another rate", capture(1000000, 2000000, 10), [DIFFERS])
check("the same, for too short a time", capture(1000000, 2000000, 4), [])
check("a clock that runs at quite another rate", capture(1000000, 52000000, 2), [DIFFERS_FAR])
check("one that is that much too slow", capture(52000000, 1000000, 2), [WRAPS])
check("a clock that misses wraps", capture(2000000, 1000000, 10), [WRAPS])
check("a core without a lane, told twice", board([(1, 6), (1, 6)]), [UNKNOWN_LANE])
check("a clock that stood still", board([(3, 3), (3, 3)]), [STOOD])
check("both", board([(3, 7)]), [STOOD, UNKNOWN_LANE])
check("neither", board([(1, 2), (0, 3)]), [])
check("a counter that is set back", zones({3: WRAP - 500000}, 12), [SET_BACK])
check("the same, which the board takes for a silence", zones({3: WRAP - 500000}, 12, usage=16), [SET_BACK])
check("a silence", zones({}, 12, usage=16), [UNSEEN])
check("a host that slept", zones({}, 3, sleeps=3600), [])
check_times("a counter that is set back", zones({3: WRAP - 500000}, 12), 1.0)
check_times("one that is set back again and again", zones({n: WRAP - 500000 for n in range(2, 10)}, 12), 1.0)
check_times("one that is not", zones({}, 12), 1.0)
check_repairs("a context that was interrupted before it took its place", steps_back(100), False)
check_repairs("a lane whose time goes back far", steps_back(3000000), True)
print("failed" if failures else "all said right")
sys.exit(1 if failures else 0)
