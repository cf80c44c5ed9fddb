#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.iree: the programs of IREE's tracing interface on the board, in mode 4. Usage: board.sh FOLDER (of its image)
# HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1
hostlink=$2
out=$build/e2e
begin "$out" "$hostlink"
kymo_capture "$build" 600 "$hostlink" @SOURCE@ -q --no-tracy -o "$out/demo.kymo" >"$out/live.out" 2>"$out/capture.err"
ended_well "$build" "$out"
mkdir "$out/large"
"$hostlink" convert "$out/demo.kymo" -o "$out/demo.events.csv" --large "$out/large" >"$out/demo.out" 2>&1 || {
    cat "$out/demo.out"
    exit 1
}
python3 -B tests/iree/expected.py "$out" 4 board
