#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.counters: zones with the core's counters, on an emulator that counts instructions. Usage: board.sh FOLDER (of its
# image) HOSTLINK COUNTS MARKS
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2 out=$1/e2e
begin "$out" "$hostlink"
export KYMO_RUN_OPTIONS='-icount shift=0,sleep=off'
capture --no-commands -o "$out/trace.kymo" -o "$out/trace.csv" \
    -o "$out/trace.json" -o "$out/trace.pftrace" -o "$out/trace.events.csv"
python3 -B tests/counters/expected.py "$out" "$3" "$4"
