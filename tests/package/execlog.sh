#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A profile of a firmware that is not instrumented: the example of doc/your-own-board.md in QEMU, its instructions as the
# plugin execlog writes them, and 'hostlink import' against an independent count of each function's instructions.
# Debian has no binary of the plugin, so the same comes from QEMU's own log, an instruction a block.
# Usage: execlog.sh HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD hostlink=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT
cp -r doc/your-own-board "$work/mine" && cd "$work/mine" || exit 1

fail() {
    echo "FAILED: $1"
    tail -n 20 log
    exit 1
}

sed -i 's/ROUNDS 200u/ROUNDS 3u/' app.c
make KYMO="$top" BOARD=riscv >log 2>&1 || fail "build"
timeout 600 qemu-system-riscv32 -M virt -bios none -icount shift=0,sleep=off -display none -monitor none -serial file:trace.bin \
    -kernel build/firmware.elf -singlestep -d exec,nochain -D trace.log >log 2>&1 || fail "QEMU"
# An instruction that was begun again for input and output is logged twice.
awk '/rewound execution/ { again = 1; next } { if (held != "") print held; held = ""; if (!again) held = $0; again = 0 } END { print held }' \
    trace.log | sed -nE 's|^Trace ([0-9]+): 0x[0-9a-f]+ \[[0-9a-f]+/0*([0-9a-f]+)/.*|\1, 0x\2, 0x13, "nop"|p' >trace.execlog
"$hostlink" import trace.execlog --elf build/firmware.elf -q -o x.csv -o x.kymo -o x.folded 2>log || fail "import"
riscv64-unknown-elf-nm -S build/firmware.elf >symbols
python3 -B - >log 2>&1 <<'PYTHON' || fail "other counts"
import bisect, collections, csv
functions = []
for line in open("symbols"):
    parts = line.split()
    if len(parts) == 4 and parts[2] in "tT":
        functions.append((int(parts[0], 16), int(parts[0], 16) + int(parts[1], 16), parts[3]))
functions.sort()
starts = [start for start, _, _ in functions]
own, entered = collections.Counter(), collections.Counter()
lines = 0
for line in open("trace.execlog"):
    address = int(line.split(", ")[1], 16)
    at = bisect.bisect_right(starts, address) - 1
    if at >= 0 and address < functions[at][1]:
        own[functions[at][2]] += 1
        entered[functions[at][2]] += address == functions[at][0]
    lines += 1
rows = {row["name"]: row for row in csv.DictReader(open("x.csv"))}
assert lines > 50000 and len(own) > 40, (lines, len(own))
for name, count in own.items():
    assert int(rows[name]["self_ns"]) == count, (name, rows[name], count)
for name in ("step", "main", "kymo_drain"):
    assert int(rows[name]["counts"]) == entered[name], (name, rows[name], entered[name])
assert int(rows["step"]["counts"]) == 6
stacks = dict(line.rsplit(" ", 1) for line in open("x.folded"))
assert any(stack.endswith(";step") and ";main;" in stack for stack in stacks), list(stacks)[:5]
PYTHON
"$hostlink" stats x.kymo --longest step >out 2>log && grep -qE '^ +1 +step ' out || fail "the capture"
"$hostlink" import trace.execlog >out 2>log
[ $? -eq 2 ] && grep -qx "hostlink: trace.execlog: an execlog has addresses only: give the ELF file of the program by --elf IMAGE" log ||
    fail "without an ELF file"
echo passed
