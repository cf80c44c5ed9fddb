#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# keyed.BOARD: a board on a network whose image has a key, and whose demo begins when a parameter is set. A host
# without the key gets an error and sets nothing; the next one, which has it, starts the demo, which then plots less.
# Usage: keyed.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1
hostlink=$2
out=$build/e2e.keyed
begin "$out" "$hostlink"
unset KYMO_KEY
echo 000102030405060708090a0b0c0d0e0f >"$out/key" && chmod 600 "$out/key" || exit 1

kymo_capture "$build" 600 tests/e2e/keyed_hosts.sh "$hostlink" @SOURCE@ "$out" >"$out/capture.out" 2>"$out/capture.err"
ended_well "$build" "$out"
"$hostlink" stats "$out/without.kymo" >"$out/without.stats" || exit 1
grep -q '^events: emitted 0 delivered 0 lost 0' "$out/without.stats" || {
    cat "$out/without.stats"
    echo "the demo began without the key"
    exit 1
}
python3 tests/e2e/judge.py "$out" || exit 1
# How often the firmware says that it plotted, and how many steps it made: 256 a cycle.
plots=$(sed -n 's/.*demo: plots .* temperature \([0-9]*\).*/\1/p' "$out/capture.out")
cycles=$(sed -n 's/.*demo: \([0-9]*\) sensor cycles.*/\1/p' "$out/capture.out")
[ $((plots * 9)) -lt $((cycles * 256)) ] || {
    cat "$out/capture.err"
    echo "$plots plots in $cycles cycles of 256 steps, although only each tenth step should plot"
    exit 1
}
