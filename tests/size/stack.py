# SPDX-License-Identifier: MIT
"""The deepest stack of kymo's calls, from gcc's call graphs (-fcallgraph-info=su), against a table of a document.

Usage: stack.py DOCUMENT COLUMN=FOLDER ...: FOLDER has the graphs (.ci) of one core, in "plain" of the default knobs and in
"full" with those that take more; COLUMN is its column in the table that begins with "| stack". A call through a pointer (the transport's, a filter's) is not counted. Exit status 1: a call takes more
than the document says, or so much less that the document is wrong.
"""
import pathlib
import re
import sys

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
DYNAMIC = re.compile(r"\(dynamic(?!,bounded)")
NOT_RECORDING = re.compile(r"kymo_(drain|init|sample|finish|dump|command|packet)")
# Each row of the table: which graphs, and which functions.
ROWS = {
    "begin or end of a zone": ("plain", lambda name: re.fullmatch(r"kymo_zone_(begin|end)", name)),
    "any call that records": ("plain", lambda name: not NOT_RECORDING.match(name)),
    "the same with call stacks": ("full", lambda name: not NOT_RECORDING.match(name)),
    "a sample of 16 frames": ("full", lambda name: name == "kymo_sample"),
    "kymo_drain()": ("plain", lambda name: name == "kymo_drain"),
    "kymo_init()": ("plain", lambda name: name == "kymo_init"),
}
SLACK = 1.2


def read(folder):
    """Bytes of each function, and whom it calls."""
    own, calls = {}, {}
    for path in sorted(pathlib.Path(folder).glob("*.ci")):
        text = path.read_text(encoding="utf-8")
        for name, label in NODE.findall(text):
            size = re.search(r"\\n(\d+) bytes \(", label)
            if size:
                own[name] = int(size.group(1))
                if DYNAMIC.search(label):
                    sys.exit(f"{folder}: {name} takes a part of the stack that is not known before it runs")
        for source, target in EDGE.findall(text):
            calls.setdefault(source, set()).add(target)
    return own, calls


def deepest(own, calls):
    """Bytes and the way of the deepest path of each function; a circle ends the program."""
    done, under_way = {}, []

    def walk(name):
        if name in under_way:
            sys.exit(f"{name} calls itself: {' '.join(under_way)}")
        if name not in done:
            under_way.append(name)
            below = max((walk(target) for target in calls.get(name, ()) if target in own), default=(0, ()))
            under_way.pop()
            done[name] = (own[name] + below[0], (name.split(":")[-1],) + below[1])
        return done[name]

    for name in own:
        walk(name)
    return done


def rows(folder, public):
    depths = {knobs: deepest(*read(pathlib.Path(folder) / knobs)) for knobs in ("plain", "full")}
    result = {}
    for row, (knobs, is_one) in ROWS.items():
        figures = [figure for name, figure in depths[knobs].items() if name in public and is_one(name)]
        if not figures:
            sys.exit(f"{folder}: nothing for '{row}': this test measures nothing")
        result[row] = max(figures)
    return result


def table(document):
    """{column: {row: bytes}} of the document's table."""
    lines = iter(pathlib.Path(document).read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith("| stack"):
            columns = [cell.strip() for cell in line.strip("|").split("|")][1:]
            break
    else:
        sys.exit(f"{document}: there is no table that begins with '| stack'")
    next(lines)
    said = {column: {} for column in columns}
    for line in lines:
        if not line.startswith("|"):
            return said
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for column, cell in zip(columns, cells[1:]):
            said[column][cells[0].split(" (")[0].replace("`", "")] = int(cell)
    return said


def main():
    document, *columns = sys.argv[1:]
    headers = pathlib.Path(__file__).parents[2] / "runtime/include/kymo"
    public = set()
    for header in headers.glob("*.h"):
        public.update(re.findall(r"\b(kymo_\w+)\(", header.read_text(encoding="utf-8")))
    said = table(document)
    failed = False
    for column, folder in (argument.split("=") for argument in columns):
        for row, (measured, way) in rows(folder, public).items():
            stated = said.get(column, {}).get(row, 0)
            wrong = not measured <= stated <= measured * SLACK + 16
            failed |= wrong
            print(f"{column:10} {row:26} {measured:5}  stated {stated:5}  {' > '.join(way)}{'  WRONG' if wrong else ''}")
    sys.exit(failed)


main()
