#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.recorder: flight recorders over a reset. A debugger stops the demo at its end, before anything was
# sent, saves the memory, and resets the board; what it recorded must come then, as a session of its own, before the
# events of the second run. The memory must hold the same of the first run. Usage: recorder.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 hostlink=$2 out=$(realpath "$1")/e2e.recorder
. tests/e2e/begin.sh
. tests/e2e/debugger.sh
debugger_resumes() {
    printf '%s\n' "monitor system_reset" "break kymo_init" continue delete
}
begin "$out" "$hostlink"

capture -q --no-tracy -o "$out/demo.kymo"

dump ram.bin first
tail -n 1 "$out/first/dump.out"
rm "$out/ram.bin" "$out/core"

# FILE: the number of events emitted, if none was lost.
emitted() { sed -nE 's/^events: emitted ([0-9]+) delivered \1 lost 0$/\1/p' "$1"; }
both=$(emitted "$out/capture.out")
first=$(emitted "$out/first/dump.out")
second=$(sed -nE 's/.*demo: emitted ([0-9]+)$/\1/p' "$out/capture.out")
[ -n "$both" ] && [ "$both" = $((first + second)) ] || {
    echo "both runs: '$both' events; the first in memory: '$first'; the second by the firmware: '$second'"
    exit 1
}
"$hostlink" info "$out/demo.kymo" >"$out/info"
grep -qE 'sessions +2' "$out/info" || { cat "$out/info"; exit 1; }
# Each zone as often as the two runs had it: all but the interrupt's are the same in each.
python3 - "$hostlink" "$out/demo.kymo" "$out/first/demo.csv" <<'PYTHON'
import csv, io, subprocess, sys
stats = subprocess.run([sys.argv[1], "stats", "--csv", sys.argv[2]], check=True, capture_output=True, text=True).stdout
def counts(lines):
    return {row["name"]: int(row["counts"]) for row in csv.DictReader(lines) if row["name"] != "tick"}
both, first = counts(io.StringIO(stats)), counts(open(sys.argv[3], newline=""))
if len(first) < 10 or both != {name: 2 * times for name, times in first.items()}:
    sys.exit(f"zones of both runs {both}, of the first {first}")
PYTHON
