# SPDX-License-Identifier: MIT
"""The call stacks that hostlink shows of tests/tracy/stacks.c and stacks.cpp, held against the macro in the name of each
function: in the table of events by nm's names, and at a Tracy viewer.

Usage: stacks.py FOLDER ARCH: it holds trace.events.csv, symbols, which is nm's output, and viewed, the output of
"tracy_viewer ... stacks". Exit status 1 and a line for each thing that is wrong.
"""
import collections
import csv
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "callstack"))
import coverage  # noqa: E402
import expected  # noqa: E402

FILES = {"stacks.c": "markup_c", "stacks.cpp": "markup_cxx"}
FEATURES = ("zones", "zones with a call stack", "zones with names of run time", "messages", "messages with a call stack",
            "memory", "memory with a call stack", "discard of a pool")
KINDS = (("Discard", "free"), ("memory_discard", "free"), ("Message", "message"), ("log", "message"),
         ("Log", "message"), ("Zone", "zone"), ("zone", "zone"), ("Alloc", "alloc"), ("memory_alloc", "alloc"),
         ("Free", "free"), ("memory_free", "free"))

folder, arch = pathlib.Path(sys.argv[1]), sys.argv[2]
wrong = []


def expected_of(file, root):
    """(kind, functions) of each call of a macro that is tried in it: with a depth of its own, or TRACY_CALLSTACK."""
    for macro in re.findall(r"\bof_(\w+)\(\);", (HERE / file).read_text(encoding="utf-8")):
        kind = next(kind for part, kind in KINDS if part in macro)
        has_depth = macro.endswith("S") or macro.startswith("___")
        yield kind, tuple([f"of_{macro}", root, "main"][:2 if has_depth else 3])


def check_coverage(functions):
    """No macro of these features is left out; ZoneEnd has no stack."""
    for feature, of_c, of_cxx, *_ in coverage.ROWS:
        for macro in [f"TracyC{name}" for name in of_c.split()] + of_cxx.split() if feature in FEATURES else []:
            if f"of_{macro}" not in functions and macro != "TracyCZoneEnd":
                wrong.append(f"{macro} is not tried")


def of_events():
    places = expected.symbols_of(folder / "symbols", arch)
    with open(folder / "trace.events.csv", newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["stack"] or row["kind"] in ("zone begin", "message", "alloc", "free"):
                names = [expected.name_of(places, int(address, 16)) for address in row["stack"].split()]
                yield row["kind"].replace(" begin", ""), tuple(names)


def of_viewer():
    for line in (folder / "viewed").read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"stack: (.*?)\|.*\|(.*)\|(\d+)", line)
        names = [re.sub(r"\(anonymous namespace\)::|\(\)$", "", name) for name in match[2].split(";")] if match else []
        yield from [(match[1], tuple(names))] * int(match[3]) if match else []


def main():
    should = collections.Counter(stack for file, root in FILES.items() for stack in expected_of(file, root))
    check_coverage({functions[0] for _, functions in should})
    for what, seen in (("events", of_events()), ("Tracy", of_viewer())):
        seen = collections.Counter(seen)
        for stack in sorted(seen | should):
            if seen[stack] != should[stack]:
                wrong.append(f"{what}: {seen[stack]} of {stack}, should be {should[stack]}")
    for line in wrong:
        print(f"{folder}: {line}")
    if not wrong:
        print(f"{sum(should.values())} call stacks of macros are as they should be")
    sys.exit(1 if wrong else 0)


main()
