#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The throughput of each transport, and its cost on the core: a firmware that records as much as its link takes
# (tests/bench/links/flood.c). Instructions an event are the same in every run to 1 or 2, bytes vary with how full a packet
# is when it leaves, events a second are this machine's, its emulator's and its reader's. Usage: links.sh [PRESET ...]
set -u
cd "$(dirname "$0")/../.." || exit 1
hostlink=$PWD/build/host/hostlink/hostlink
status=0

# preset | link | events | instructions a tick of the clock where the emulator counts them | its options for that
table='
qemu-virt-riscv64      |uart|200000|100|-icount shift=0,sleep=off
qemu-virt-riscv64-tcp  |tcp |200000|100|-icount shift=0,sleep=off
qemu-virt-riscv64-rtt  |rtt |200000|100|-icount shift=0,sleep=off
qemu-virt-aarch64      |uart|200000|16 |-icount shift=0,sleep=off
qemu-virt-aarch64-tcp  |tcp |200000|16 |-icount shift=0,sleep=off
raspberry-pi-pico      |uart|100000|125|
raspberry-pi-pico-dma  |dma |100000|125|
raspberry-pi-pico-usb  |usb |20000 |125|
'

# flood BUILD LINK: the figures that judge.py prints.
flood() {
    KYMO_JUDGE="python3 -B tests/bench/links/judge.py" tests/e2e/"$2".sh "$1" "$hostlink" >"$1/flood.log" 2>&1
    sed -n 's/^flood //p' "$1/flood.log" | tail -n 1
}

row() {
    local preset=$1 link=$2 events=$3 tick=$4 options=$5 build=build/flood/$1 fast counted
    cmake --preset "$preset" -B "$build" -DKYMO_BOARD_PROGRAM="$PWD/tests/bench/links/flood.c" -DKYMO_TESTS=OFF \
        -DCMAKE_C_FLAGS=-DFLOOD_EVENTS="${events}u" >"$build.log" 2>&1 &&
        cmake --build "$build" >>"$build.log" 2>&1 || {
        tail -n 5 "$build.log"
        return 1
    }
    fast=$(flood "$build" "$link")
    counted=$fast
    [ -z "$options" ] || counted=$(KYMO_RUN_OPTIONS=$options flood "$build" "$link")
    [ -n "$fast" ] && [ -n "$counted" ] || {
        tail -n 5 "$build/flood.log"
        return 1
    }
    awk -v name="$preset, $link" -v tick="$tick" -v fast="$fast" -v counted="$counted" 'BEGIN {
        split(fast, f, " "); split(counted, c, " ")
        seconds = f[3] / f[6]
        recording = c[4] * tick / c[1]; sending = c[5] * tick / c[1]
        printf "%-28s %9.0f %9.0f %7.2f %11.0f %9.0f %8.1f %%\n", name, f[1] / seconds, f[2] / seconds / 1000,
            f[2] / f[1], recording, sending, (recording + sending) * 1e4 / 1e8 * 100 }'
}

mkdir -p build/flood
{ cmake --preset host && cmake --build build/host --target hostlink probe; } >build/flood/host.log 2>&1 || {
    tail -n 5 build/flood/host.log
    exit 1
}
printf '%-28s %9s %9s %7s %11s %9s %10s\n' '' events/s kB/s B/event 'instr/event' '' "10 k/s of"
printf '%-28s %9s %9s %7s %11s %9s %10s\n' 'board, link' '' '' '' recording sending "100 MHz"
while IFS='|' read -r preset link events tick options; do
    preset=${preset// /}
    [ -n "$preset" ] || continue
    [ $# -eq 0 ] || [[ " $* " == *" $preset "* ]] || continue
    row "$preset" "${link// /}" "${events// /}" "${tick// /}" "$options" || {
        echo "$preset: no figures"
        status=1
    }
done <<<"$table"
exit $status
