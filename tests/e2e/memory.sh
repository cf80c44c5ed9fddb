#!/usr/bin/env bash
# e2e.BOARD.memory: the demo's trace out of the board's memory. A debugger stops the board at its end, before
# anything was sent, and saves the memory; then the same trace comes over the serial port, with the
# firmware's own counts, against which both are judged. Usage: memory.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. boards/boot.sh
. tests/e2e/judged.sh
build=$1 hostlink=$2 out=$1/e2e.memory tests=$(dirname "$2")/../tests

# As in boards/boot.sh, with a debugger beside.
kymo_capture() {
    local build=$1 seconds=$2 hostlink=$3 folder board debugger
    shift 3
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") || exit 1
    timeout "$seconds" "$build/run" "$folder/uart" >"$build/emulator.log" 2>&1 &
    board=$!
    until kymo_listens "$folder/uart" || ! kill -0 $board 2>/dev/null; do
        sleep 0.05
    done
    (
        until kymo_listens "$folder/uart.gdb" || ! kill -0 $board 2>/dev/null; do
            sleep 0.05
        done
        exec timeout "$seconds" python3 -B tests/e2e/memory.py "$build" "$folder/uart.gdb" "$out"
    ) >"$build/debugger.log" 2>&1 &
    debugger=$!
    timeout "$seconds" "$hostlink" "${@//@SOURCE@/unix:$folder/uart}"
    hostlink_status=$?
    [ $hostlink_status -eq 0 ] || kill $board 2>/dev/null
    wait $board
    board_status=$?
    wait $debugger || { cat "$build/debugger.log"; exit 1; }
    rm -rf "$folder"
}

judged memory "$1" "$2"

dump() {
    mkdir "$out/$2" || exit 1
    "$hostlink" dump --elf "$build/firmware.elf" "$out/$1" -o "$out/$2/demo.kymo" \
        -o "$out/$2/demo.pftrace" -o "$out/$2/demo.json" -o "$out/$2/demo.csv" >"$out/$2/dump.out" 2>&1 || {
        cat "$out/$2/dump.out"
        exit 1
    }
}
dump ram.bin dumped
tail -n 1 "$out/dumped/dump.out"
diff <(grep '^events:' "$out/dumped/dump.out") <(grep '^events:' "$out/capture.out") || exit 1
python3 tests/e2e/judge.py "$out" dumped || exit 1
python3 -B tests/e2e/same.py "$tests/wire/dump_events" "$out/demo.kymo" "$out/dumped/demo.kymo" || exit 1
"$hostlink" stats --csv "$out/dumped/demo.kymo" | diff - "$out/dumped/demo.csv" || exit 1

# The core file holds the same.
dump core dumped.core
diff -r --exclude=dump.out "$out/dumped" "$out/dumped.core" || exit 1
rm "$out/ram.bin" "$out/core"
