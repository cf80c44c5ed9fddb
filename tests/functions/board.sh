#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.functions: the program of known calls on the board. Usage: board.sh FOLDER (of its image) HOSTLINK
# OVERWRITTEN, 1 if its ring has not kept all
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2 out=$1/e2e
begin "$out" "$hostlink"
capture --no-commands --symbolizer addr2line --elf "$build/firmware.elf" -o "$out/trace.kymo" \
    -o "$out/trace.csv" -o "$out/trace.events.csv"
# The names are in the capture.
"$hostlink" convert "$out/trace.kymo" -o "$out/again.csv" >"$out/convert.out" 2>&1 || {
    cat "$out/convert.out"
    exit 1
}
python3 -B tests/functions/expected.py "$out" "$3"
