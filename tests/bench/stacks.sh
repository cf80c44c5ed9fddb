#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bytes of call stacks on the wire: the demo of qemu-virt-riscv64 with KYMO_TRACING_MODE 2 and 4. Builds both in one
# folder of its own; needs build/host. Usage: tests/bench/stacks.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. boards/boot.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
hostlink=build/host/hostlink/hostlink

# demo MODE: leaves $work/MODE.events.csv, and prints events and bytes of them.
demo() {
    local tree=$work/$1
    { cmake -G Ninja -S . -B "$tree" -DKYMO_BOARD=qemu-virt-riscv64 -DKYMO_TESTS=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DKYMO_BOARD_KNOBS="KYMO_TRACING_MODE=$1" && cmake --build "$tree"; } >"$work/log" 2>&1 || {
        tail -n 20 "$work/log" >&2
        return 1
    }
    kymo_capture "$tree" 300 $hostlink @SOURCE@ -o "$work/$1.kymo" -o "$work/$1.events.csv" >"$work/log" 2>&1
    [ "$hostlink_status$board_status" = 00 ] || { tail -n 20 "$work/log" >&2; return 1; }
    $hostlink info "$work/$1.kymo" | sed -nE 's/^events: emitted ([0-9]+) .*/\1/p; s/^ +([0-9.]+) bytes per event.*/\1/p' | paste -sd' '
}

read -r plain_bytes plain_events < <(demo 2) && read -r bytes events < <(demo 4) || exit 1
python3 -B - "$work/4.events.csv" "$plain_bytes" "$plain_events" "$bytes" "$events" <<'PYTHON'
import csv, sys
plain, _, bytes_each, events = map(float, sys.argv[2:])
with open(sys.argv[1], newline="", encoding="utf-8") as lines:
    stacks = [len(row["stack"].split()) for row in csv.DictReader(lines) if row["stack"]]
extra = (bytes_each - plain) * events
print(f"mode 2: {plain:.2f} bytes an event; mode 4: {bytes_each:.2f}, with {len(stacks)} stacks of "
      f"{sum(stacks) / len(stacks):.1f} frames: {extra / len(stacks):.1f} bytes a stack, {extra / sum(stacks):.2f} a frame")
PYTHON
