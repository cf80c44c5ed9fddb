#!/usr/bin/env python3
"""What hostlink says of a board whose clock does not run as it should or whose cores lack a lane, seen in captures that
hold nothing else. Usage: test_clock.py HOSTLINK"""
import os
import subprocess
import sys
import tempfile

from wire_encoder import on_the_wire

STANDS = "the board's clock stands still"
STOOD = "the board's clock stood still at its start, so it records nothing"
UNKNOWN_LANE = "the board refuses events of a core that has no lane"
DIFFERS = "the board says that its clock runs at 1000000 Hz, against the host's it runs at about 2000000 Hz, so times are wrong: set KYMO_CLOCK_HZ"
WRAPS = "so times are wrong: set KYMO_CLOCK_HZ to its true rate; if that is right, wraps were missed"
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


def check(what, stream, expected):
    global failures
    with tempfile.NamedTemporaryFile(suffix=".kymo") as file:
        file.write(stream)
        file.flush()
        done = subprocess.run([hostlink, "stats", file.name], capture_output=True, text=True, check=False)
    said = [text for text in (STANDS, STOOD, UNKNOWN_LANE, DIFFERS, WRAPS) if text in done.stderr]
    in_table = done.stdout.count("clock error: ") == sum(text in (STANDS, DIFFERS, WRAPS) for text in expected)
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
check("a clock that misses wraps", capture(2000000, 1000000, 10), [WRAPS])
check("a core without a lane, told twice", board([(1, 6), (1, 6)]), [UNKNOWN_LANE])
check("a clock that stood still", board([(3, 3), (3, 3)]), [STOOD])
check("both", board([(3, 7)]), [STOOD, UNKNOWN_LANE])
check("neither", board([(1, 2), (0, 3)]), [])
print("failed" if failures else "all said right")
sys.exit(1 if failures else 0)
