#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.tracy: the programs of Tracy's markup on the board. Usage: board.sh FOLDER (of its image) HOSTLINK TRACY_VIEWER
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1
hostlink=$2
viewer=$3
out=$build/e2e
begin "$out" "$hostlink" "$viewer"
kymo_capture "$build" 600 "$hostlink" @SOURCE@ -q -o "$out/demo.kymo" >"$out/live.out" 2>"$out/capture.err"
ended_well "$build" "$out"
"$hostlink" convert "$out/demo.kymo" -o "$out/demo.csv" -o "$out/demo.events.csv" -o "$out/demo.json" \
    -o "$out/demo.pftrace" >"$out/capture.out" 2>&1 || { cat "$out/capture.out"; exit 1; }
for protocol in 69 82; do
    port=$(kymo_free_port)
    "$hostlink" serve "$out/demo.kymo" -q --timeout 900 --tracy "$port" &
    server=$!
    "$viewer" "$port" $protocol all >"$out/$protocol.tracy" 2>"$out/viewer.err" || { cat "$out/viewer.err"; exit 1; }
    wait $server || exit 1
done
python3 -B tests/tracy/expected.py "$out" board
