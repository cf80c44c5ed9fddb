#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# wrong.BOARD: a board whose port is set up wrong. hostlink must name the error, and show no event that
# could not be recorded right. Usage: wrong.sh BUILD HOSTLINK SENTENCE EVENTS
#   EVENTS  hostlink's last line, a regular expression
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2 sentence=$3 events=$4
out=$build/e2e.wrong
begin "$out" "$hostlink"

capture -o "$out/demo.kymo" --no-tracy
# Live, and from the capture.
"$hostlink" stats "$out/demo.kymo" >"$out/stats.out" 2>"$out/stats.err" || { cat "$out/stats.err"; exit 1; }
for said in capture stats; do
    grep -qF -- "$sentence" "$out/$said.err" || {
        cat "$out/$said.err"
        echo "$said does not say: $sentence"
        exit 1
    }
    tail -n 1 "$out/$said.out" | grep -qE -- "$events" || {
        tail -n 5 "$out/$said.out"
        echo "$said should end with: $events"
        exit 1
    }
done
