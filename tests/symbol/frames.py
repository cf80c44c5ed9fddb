# SPDX-License-Identifier: MIT
"""What hostlink reads of a program's frame information agrees with what readelf does, at every address where that says
something new, and behind it. Usage: frames.py SYMBOLIZE FOLDER PROGRAM: of PROGRAM, and of programs of other machines,
which are linked in FOLDER with their C library, whose assembly has all that compilers never write."""
import bisect
import collections
import pathlib
import re
import subprocess
import sys

Row = collections.namedtuple("Row", "at base offset saved")
LINKS = {"AArch64": ("sp", "x29"), "RISC-V": ("sp", "s0")}
STACKS = {"Advanced Micro Devices X86-64": ("rsp", 8), "Intel 80386": ("esp", 4)}
COMPILERS = ("riscv64-linux-gnu-gcc", "aarch64-linux-gnu-gcc")


def output(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, universal_newlines=True,
                          **options).stdout


def functions_of(program):
    """Start, end and rows of each function, as readelf has interpreted them."""
    functions, common, rows, reads = [], {}, None, None
    for line in output("readelf", "-W", "--debug-dump=frames-interp", program).splitlines():
        head = re.match(r"([0-9a-f]+) [0-9a-f]+ (?:[0-9a-f]+ )?(CIE|FDE)(?:.* cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))?", line)
        if head and head[2] == "CIE":
            rows = common[head[1]] = []
        elif head:
            start, end = int(head[4], 16), int(head[5], 16)
            rows = []
            functions.append((start, end, rows, common.get(head[3], [])))
        elif line.startswith("   LOC"):
            reads = line.split()
        elif re.match(r"[0-9a-f]{8,16} ", line) and not line.endswith("terminator"):
            words = line.split()
            cfa = re.fullmatch(r"([a-z0-9]+)(?: \([a-z0-9]+\))?([+-]\d+)", words[1])
            saved = words[reads.index("ra")] if "ra" in reads else "u"
            rows.append(Row(int(words[0], 16), cfa[1] if cfa else "exp", int(cfa[2]) if cfa else 0, saved))
    return [(start, end, rows or [Row(start, *row[1:]) for row in first[:1]]) for start, end, rows, first in functions]


def wanted(machine, start, rows, address):
    at = bisect.bisect_right([row.at for row in rows], address) - 1
    row = rows[at]
    if machine in STACKS:
        return row[1:3] == STACKS[machine]
    stack, frame = LINKS[machine]
    in_register = [each.saved in ("u", "s") for each in rows]
    if in_register[at] or row.saved[0] not in "c":
        return in_register[at]
    stored_now = address == row.at and at > 0 and in_register[at - 1]
    bases = [each.base for each in rows]
    return stored_now or (in_register[0] and row.base == stack and frame not in bases[:at] and frame in bases[at:])


def outermost(symbolize, program):
    """Functions of which the return address is said to be nowhere: readelf does not tell that from what is as it was."""
    lines = output("readelf", "-W", "--debug-dump=frames", program).splitlines()
    starts, start = set(), None
    for line in lines:
        head = re.search(r"FDE cie=[0-9a-f]+ pc=([0-9a-f]+)", line)
        start = int(head[1], 16) if head else start
        if re.search(r"DW_CFA_undefined: r\d+ \((ra|x30|x1)\)", line):
            starts.add(start)
    return starts


def main():
    symbolize, folder, programs = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    for compiler in COMPILERS:
        program = folder / f"frames.{compiler}"
        subprocess.run([compiler, "-static", "-x", "c", "-", "-o", program], input=b"int main(void) { return 0; }", check=True)
        programs.append(str(program))
    for program in programs:
        machine = re.search(r"Machine: +(.*)", output("readelf", "-h", program))[1].strip()
        functions, nowhere = functions_of(program), outermost(symbolize, program)
        starts = collections.Counter(start for start, end, rows in functions)
        want = {}
        for start, end, rows in functions:
            for row in rows:
                for address in (row.at, row.at + 2, row.at + 4):
                    if address < end and starts[start] == 1 and start not in nowhere:
                        want[address] = wanted(machine, start, rows, address)
        have = {int(line.split()[0], 16): line.split()[1] == "1"
                for line in output(symbolize, program, "frames", input="".join(f"{one:x}\n" for one in want)).splitlines()}
        wrong = [address for address in want if want[address] != have[address]]
        assert not wrong, f"{program}: " + ", ".join(f"0x{one:x} {have[one]}" for one in wrong[:20]) + f" of {len(wrong)}"
        assert len(want) > 1000 and 10 < sum(want.values()) < len(want) - 10, f"{program}: {len(want)} addresses"
        print(f"{pathlib.Path(program).name}: {len(want)} addresses, {sum(want.values())} without a frame")


main()
