#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# net.announced: hostlink hears a board's announcement, lists it, and without an argument captures from it.
# Usage: announced.sh BUILD
set -u
board=$1/tests/net/net_board
hostlink=$1/hostlink/hostlink
out=$1/tests/net/announced
rm -rf "$out" && mkdir -p "$out" || exit 1

wrong() {
    echo "$1"
    cat "$out"/*.out "$out"/*.err
    exit 1
}

# It announces itself each second, and hostlink listens for two and a half, which on a machine with other things to
# do may be too short; a capture ends with 3 then.
for i in {1..20}; do
    "$board" "$hostlink" list >"$out/list.out" 2>"$out/list.err"
    status=$?
    grep -q tcp "$out/list.out" && break
done
[ $status -eq 0 ] || wrong "hostlink list ended with $status"
grep -q 'tcp:10\.9\.8\.2:6996.*board of the test' "$out/list.out" || wrong "the board is not in the list"

for i in {1..20}; do
    "$board" "$hostlink" -o "$out/board.kymo" -o "$out/board.csv" >"$out/capture.out" 2>"$out/capture.err"
    status=$?
    [ $status -eq 3 ] || break
done
[ $status -eq 0 ] || wrong "hostlink ended with $status"
grep -qx 'events: emitted 3000 delivered 3000 lost 0' "$out/capture.out" || wrong "not all 3000 events came"
[ "$(cut -d, -f1,6 "$out/board.csv" | tail -n +2)" = step,1000 ] || wrong "these are not the 1000 zones"
