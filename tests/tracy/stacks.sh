#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.tracy_stacks: the call stacks of Tracy's macros on the board, in the table of events and at a Tracy viewer.
# Usage: stacks.sh FOLDER (of its image) HOST_BUILD NM ARCH
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2/hostlink/hostlink viewer=$2/tests/unit/tracy_viewer nm=$3 out=$1/e2e
begin "$out" "$hostlink" "$viewer"
kymo_capture "$build" 300 "$hostlink" @SOURCE@ -q --no-commands --elf "$build/firmware.elf" -o "$out/trace.kymo" \
    -o "$out/trace.events.csv" >"$out/capture.out" 2>"$out/capture.err"
ended_well "$build" "$out"
"$nm" --demangle "$build/firmware.elf" >"$out/symbols" || exit 1
port=$(kymo_free_port)
"$hostlink" serve "$out/trace.kymo" -q --timeout 900 --tracy "$port" &
server=$!
"$viewer" "$port" 82 stacks >"$out/viewed" 2>"$out/viewer.err" || { cat "$out/viewer.err"; exit 1; }
wait $server || exit 1
python3 -B tests/tracy/stacks.py "$out" "$4"
