#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.cores: two harts with counters 2^41 ticks apart share one time: a number that they pass to and fro is on
# each hart in the order in which it was there, and the distance found is the true one within the stated error.
# Usage: board.sh FOLDER (of its image) HOST (the build of the preset)
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2/hostlink/hostlink out=$1/e2e
begin "$out" "$hostlink"
capture --no-commands --no-tracy -o "$out/cores.kymo" \
   
"$hostlink" convert -q "$out/cores.kymo" -o "$out/cores.events.csv" || exit 1
"$hostlink" info "$out/cores.kymo" >"$out/info.txt" || exit 1
grep "clock of lane 1: set by lane 0's, 2 times; error up to" "$out/info.txt" || {
    echo "info has no error of lane 1's clock"
    exit 1
}
python3 -B tests/cores/expected.py "$out/cores.events.csv" "$out/info.txt"
