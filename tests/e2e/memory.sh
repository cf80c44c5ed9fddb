#!/usr/bin/env bash
# e2e.BOARD.memory: the demo's trace out of the board's memory. A debugger stops the board at its end, before
# anything was sent, and saves the memory; then the same trace comes over the serial port, with the
# firmware's own counts, against which both are judged. Usage: memory.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
. tests/e2e/debugger.sh
build=$1 hostlink=$2 out=$1/e2e.memory tests=$(dirname "$2")/../tests

begin "$out" "$hostlink"

kymo_capture "$build" 600 "$hostlink" @SOURCE@ -q --no-tracy -o "$out/demo.kymo" >"$out/capture.out" 2>"$out/capture.err"
ended_well "$build" "$out"

dump ram.bin dumped
tail -n 1 "$out/dumped/dump.out"
diff <(grep '^events:' "$out/dumped/dump.out") <(grep '^events:' "$out/capture.out") || exit 1
python3 tests/e2e/judge.py "$out" dumped || exit 1
python3 -B tests/e2e/same.py "$tests/wire/dump_events" "$out/demo.kymo" "$out/dumped/demo.kymo" || exit 1
for capture in dumped/demo.kymo demo.kymo; do # to the nanosecond
    "$hostlink" stats --csv "$out/$capture" | diff - "$out/dumped/demo.csv" || exit 1
done

# The core file holds the same.
dump core dumped.core
diff -r --exclude=dump.out "$out/dumped" "$out/dumped.core" || exit 1
rm "$out/ram.bin" "$out/core"
