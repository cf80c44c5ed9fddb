#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.one_core: the demo over the serial port, on a machine with one core less than it uses: it says so, and
# nothing is missing. Usage: one_core.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2 out=$1/e2e.one_core
begin "$out" "$hostlink"
export KYMO_RUN_OPTIONS="-smp 1"
capture -o "$out/demo.kymo" --no-tracy
events=$(sed -n 's/.*demo: emitted //p' "$out/capture.out")
for line in "demo: this machine has no second core" "events: emitted ${events:-?} delivered ${events:-?} lost 0"; do
    grep -F -- "$line" "$out/capture.out" || {
        tail -n 5 "$out/capture.out"
        echo "this is not in what came: $line"
        exit 1
    }
done
