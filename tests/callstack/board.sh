#!/usr/bin/env bash
# e2e.BOARD.callstack: the program of known call stacks on the board. Usage: board.sh FOLDER (of its image) HOSTLINK NM
# ARCH MODE
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2 nm=$3 out=$1/e2e
begin "$out" "$hostlink"
# The board ends as soon as it has sent everything. Commands that it has not read by then would make its emulator's
# socket a reset one, and some systems discard with that what has not been read here.
kymo_capture "$build" 120 "$hostlink" @SOURCE@ --no-commands -o "$out/trace.kymo" -o "$out/trace.events.csv" \
    >"$out/capture.out" 2>"$out/capture.err"
tail -n 2 "$out/capture.out"
ended_well "$build" "$out"
"$nm" --demangle "$build/firmware.elf" >"$out/symbols" || exit 1
python3 -B tests/callstack/expected.py "$out" "$4" "$5"
