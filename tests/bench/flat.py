#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Memory of each table of 'hostlink stats', and of 'check' and 'report', does not grow with the length of the capture: each
works within a few megabytes on one of a million events. Usage: flat.py HOSTLINK SCENE"""
import os
import resource
import subprocess
import sys
import tempfile

HOSTLINK, SCENE = map(os.path.abspath, sys.argv[1:])
JOBS = 80000  # 14 events each: 9 MB if a table kept eight bytes of each
# Limits of data, with the blocks that the scene does not free, at 32 bytes. The page has pieces for a million events,
# which the report keeps until it is written.
BYTES, REPORT_BYTES = 4 << 20, 16 << 20
TABLES = ([], ["--stacks"], ["--samples"], ["--frames"], ["--late", "40us"], ["--interrupts"], ["--locks"], ["--memory"],
          ["--messages"], ["--plots"], ["--silences"], ["--tasks"], ["--flows"], ["--devices"], ["--longest", "all"],
          ["--openmetrics"], ["--json"], ["--csv"], ["--sort", "count"], ["--from", "0.01"])


def works_within(most, *arguments):
    child = subprocess.run([HOSTLINK, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)))
    return child.returncode == 0, child.stderr.decode()


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("scene", "wb") as out:
            subprocess.run([SCENE, "-n", str(JOBS)], stdout=out, stderr=subprocess.DEVNULL, check=True)
        commands = [(BYTES, "stats", "scene", *table) for table in TABLES]
        commands += [(BYTES, "check", "scene", "--write-budget"), (REPORT_BYTES, "report", "scene", "-q", "-o", "page")]
        for most, *command in commands:
            good, said = works_within(most, *command)
            print(f"{' '.join(command):36} {'works' if good else 'FAILED'} within {most >> 20} MB {'' if good else said}")
            bad |= not good
    return bad


sys.exit(main())
