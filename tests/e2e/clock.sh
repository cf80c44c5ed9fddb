#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clock.BOARD: a board that does not know the rate of its clock. A viewer that is there from the start must get
# times as the whole capture has them, within 1 %. What is measured against a clock is measured badly where the machine
# stands still in between, so a trial whose times, and nothing else, are wrong is made again. Usage: clock.sh BUILD HOST_BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1
hostlink=$2/hostlink/hostlink
viewer=$2/tests/unit/tracy_viewer
out=$build/e2e.clock
# Ends with 3 if only the times are wrong.
judge() {
    python3 - "$out/live.zones" "$out/demo.csv" "$out/info" <<'PYTHON'
import csv, re, sys

live = {}
for line in open(sys.argv[1]):
    place, count, total = line.rsplit(" ", 2)
    live[place] = (int(count), int(total))
whole = {
    f"{row['src_file']}:{row['src_line']} {row['name']}": (int(row["counts"]), int(row["total_ns"]))
    for row in csv.DictReader(open(sys.argv[2], newline=""))
}
wrong, badly_timed = [], []
if not live or live.keys() != whole.keys():
    wrong.append("the places differ")
for place in live.keys() & whole.keys():
    if live[place][0] != whole[place][0]:
        wrong.append(f"{place}: {live[place][0]} zones live, {whole[place][0]} in the capture")
    # Single zones are short, and stand on either side of a correction.
    elif whole[place][0] > 10 and abs(live[place][1] / whole[place][1] - 1) > 0.01:
        badly_timed.append(f"{place}: {live[place][1]} ns live, {whole[place][1]} ns in the capture")
# The real rate of the emulated clock: boards/qemu-virt-riscv64/board.cmake.
hz = int(re.search(r"about (\d+) Hz", open(sys.argv[3]).read()).group(1))
if abs(hz / 10000000 - 1) > 0.05:
    badly_timed.append(f"{hz} Hz were measured of 10000000")
print("\n".join(wrong + badly_timed))
sys.exit(1 if wrong else 3 if badly_timed else 0)
PYTHON
}

trial() {
    begin "$out" "$hostlink" "$viewer"
    port=$(kymo_free_port)
    "$viewer" "$port" 82 >"$out/live.zones" 2>"$out/live.err" &
    live=$!
    capture -q --wait --tracy "$port" -o "$out/demo.kymo" -o "$out/demo.csv" \
       
    wait $live || { cat "$out/live.err"; echo "the viewer ended with $?"; exit 1; }
    "$hostlink" info "$out/demo.kymo" >"$out/info"
    judge
}

for i in {1..8}; do
    trial
    status=$?
    [ $status -eq 3 ] || exit $status
done
exit 1
