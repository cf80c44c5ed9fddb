#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.sampling: the program of known shares on the board, sampled. Usage: board.sh FOLDER (of its image) HOSTLINK NM
# ARCH
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2 nm=$3 out=$1/e2e
begin "$out" "$hostlink"
"$nm" -S "$build/firmware.elf" >"$out/symbols" || exit 1
# The functions' shares: by the emulator's log of each instruction, of some rounds, before any sample is taken there.
python3 -B tests/sampling/shares.py "$build/run" "$out/symbols" "$4" "$out/shares" || exit 1
# An instruction takes 8 ns, all alike.
export KYMO_RUN_OPTIONS="-icount shift=3,sleep=off"
capture --no-commands --elf "$build/firmware.elf" -o "$out/trace.kymo" \
    -o "$out/trace.samples.folded" -o "$out/trace.events.csv" -o "$out/trace.pftrace" -o "$out/trace.pprof" \
    -o "$out/trace.speedscope.json" -o "$out/trace.json"
"$hostlink" stats --samples --csv "$out/trace.kymo" >"$out/samples.csv" 2>"$out/stats.err" || exit 1
python3 -B tests/sampling/expected.py "$out" "$4"
