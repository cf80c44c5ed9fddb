#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.callstack_many: many call stacks and samples of the board at a Tracy viewer, live, and then served in every
# protocol. Usage: many.sh FOLDER (of its image) HOST_BUILD ROUNDS CORES
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2/hostlink/hostlink viewer=$2/tests/unit/tracy_viewer out=$1/e2e
begin "$out" "$hostlink" "$viewer"

# NAME STATUS
check() {
    [ "$2" -eq 0 ] || { cat "$out/$1.err"; echo "$1: the viewer ended with $2"; exit 1; }
    python3 -B tests/callstack/viewed.py "$out/$1.viewed" "$rounds" "$cores" "$out/samples.csv" ||
        { echo "$1: see above"; exit 1; }
}
rounds=$3 cores=$4

port=$(kymo_free_port)
"$viewer" $port 82 stacks >"$out/live.viewed" 2>"$out/live.err" &
live=$!
capture -q --no-commands --wait --tracy $port --elf "$build/firmware.elf" \
    -o "$out/trace.kymo"
wait $live
live=$?
grep -Eq '^events: emitted ([0-9]+) delivered \1 lost 0$' "$out/capture.out" ||
    { tail -n 3 "$out/capture.out"; exit 1; }
"$hostlink" stats --samples --csv "$out/trace.kymo" >"$out/samples.csv" 2>"$out/stats.err" || exit 1
check live $live

for protocol in 63 64 66 69 74 76 82; do
    port=$(kymo_free_port)
    "$hostlink" serve "$out/trace.kymo" -q --timeout 900 --tracy $port &
    server=$!
    "$viewer" $port $protocol stacks >"$out/$protocol.viewed" 2>"$out/$protocol.err"
    check $protocol $?
    wait $server || { echo "hostlink serve ended with $?"; exit 1; }
done
