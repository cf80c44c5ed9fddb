"""What hostlink says of the tasks of kernels whose doings are known (task_scenes.py).

Usage: tasks.py HOSTLINK TEST, where TEST is one of the functions test_* below.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import task_scenes

HOSTLINK = pathlib.Path(sys.argv[1]).resolve()


def hostlink(scene, *arguments, status=0):
    """Standard output of a command on the capture of a scene, which is its standard input."""
    done = subprocess.run([HOSTLINK, *arguments], input=scene.capture(), capture_output=True, check=False)
    if done.returncode != status:
        sys.exit(f"'{' '.join(arguments)}' ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def named(output):
    return [line for line in output.splitlines() if re.match("(priority inversion|deadlock|starvation|interrupt storm) ", line)]


def expect(what, seen, expected):
    if seen != expected:
        sys.exit(f"{what}:\n{seen}\nshould be\n{expected}")


WORST = {
    "inversion": "priority inversion at 0.001120 s: task motor waited 24.6 ms for lock bus, held by logger (priority 1), "
                 "while net (2) ran 24.1 ms",
    "deadlock": "deadlock at 0.001030 s: task reader waits for lock bus, held by writer, which waits for lock disk, held "
                "by reader",
    "starved": "starvation at 0.001500 s: task slow (priority 1) was ready for 350 ms and did not run, while busy (5) "
               "ran 350 ms",
    "storm": "interrupt storm at 1.003008 s: uart came 500 times within 10 ms and took 6.00 ms of core 0, usually 1 time",
    "lost": None,
    "reused": None,
}


def test_worst():
    """Named below the table of zones, and after a capture, in one line and without an option."""
    for name, line in WORST.items():
        scene = task_scenes.SCENES[name]()
        expect(name, named(hostlink(scene, "stats", "-")), [line] if line else [])
    expect("a kernel in order", named(hostlink(task_scenes.kernel().scene, "stats", "-")), [])
    with tempfile.TemporaryDirectory() as folder:
        out = hostlink(task_scenes.inversion(), "capture", "-", "-q", "--no-tracy", "-o", f"{folder}/x.kymo")
    expect("after a capture", named(out), [WORST["inversion"]])


globals()[f"test_{sys.argv[2]}"]()
print("passed")
