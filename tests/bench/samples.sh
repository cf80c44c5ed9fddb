#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Instructions of a sample on a Cortex-M4 (netduinoplus2, SysTick as the clock), whose handler keeps the preempted state
# (kymo_cortexm_sample.h), and a Cortex-M3 (mps2-an385), whose handler begins the walk. Usage: tests/bench/samples.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
for board in netduinoplus2 mps2-an385; do
    { cmake --preset $board && cmake --build build/$board --target firmware_sampling; } >"$work/log" 2>&1 || {
        tail -n 20 "$work/log"
        exit 1
    }
    arm-none-eabi-nm -S build/$board/sampling/firmware.elf >"$work/symbols" || exit 1
    echo "$board:"
    python3 -B tests/bench/samples.py build/$board/sampling/run "$work/symbols" || status=1
done
exit $status
