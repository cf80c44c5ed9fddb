#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints every table of figures that the documents quote: what recording costs in instructions, in ROM and
# RAM, on the wire and on each transport. They are counts, the same in every run, except the last table's
# events a second.
# Usage: tests/bench/run.sh
# Exit status: 0, or 1 when a mark is missed or a figure cannot be had.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/setup.sh
mkdir -p build/logs
kymo_setup test build/logs/setup.log || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0

echo "Instructions a call, call and return included, on the fast path (tests/bench/instructions.sh)"
tests/bench/instructions.sh || status=1

echo
echo "Recording and sending an event in programs like real ones (tests/bench/mixes.sh)"
tests/bench/mixes.sh || status=1

echo
echo "Bytes of the recorder beside the same image without it, -Os, without its rings (tests/size/size.sh)"
tests/size/size.sh || status=1

echo
echo "Every port: bytes with -Os, instructions with -O2, one lane unless said (tests/bench/ports.sh)"
tests/bench/ports.sh || status=1

echo
echo "On the wire: the demo of qemu-virt-riscv64 (boards/demo.sh, hostlink info)"
if boards/demo.sh --out "$work" >"$work/demo.log" 2>&1; then
    build/host/hostlink/hostlink info "$work/demo.kymo" || status=1
else
    tail -n 5 "$work/demo.log"
    status=1
fi

echo
echo "Call stacks on the wire: the same demo by KYMO_TRACING_MODE (tests/bench/stacks.sh)"
tests/bench/stacks.sh || status=1

echo
echo "Samples on Cortex-M, whose stacks are walked by tables (tests/bench/samples.sh)"
tests/bench/samples.sh || status=1

echo
echo "Transports (tests/bench/links.sh); events/s are this machine's and its emulators'"
tests/bench/links.sh || status=1
exit $status
