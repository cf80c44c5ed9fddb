#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.rtt_overwritten: the control block is overwritten while the demo runs, as by a wild pointer. The
# firmware goes on, makes it again, and counts the lost events. Usage: rtt_overwritten.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 hostlink=$2 out=$1/e2e.rtt_overwritten
. tests/e2e/begin.sh
. tests/e2e/probe.sh

has_captured() { [ "$(stat -c %s "$out/demo.kymo")" -ge "$1" ]; }
has_id() { [ "$(dd if="$1" bs=1 skip="$2" count=10 2>/dev/null | tr '\0' '?')" = 'SEGGER RTT' ]; }

# All of it but the addresses, sizes and offsets of the end: id, numbers of channels, the channel to the host. When
# some of the trace has come, of which the whole is more than 100 kB.
meanwhile() {
    local byte captured=0
    for byte in 377 000 252; do
        captured=$((captured + 8000))
        wait_for has_captured $captured
        head -c 48 /dev/zero | tr '\0' "\\$byte" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
        wait_for has_id "$1" "$2"
        has_id "$1" "$2" && echo "made again" >>"$out/found"
    done
}

begin "$out" "$hostlink"
capture --no-tracy -o "$out/demo.kymo"
[ "$(grep -c . "$out/found")" -eq 3 ] || {
    echo "the control block was not made again each time"
    exit 1
}
# The sum equals the firmware's count. Each time the ring's contents are lost, and with a slow reader the ring is full:
# 16 KiB of some 100 kB.
emitted=$(sed -nE 's/.*demo: emitted ([0-9]+)$/\1/p' "$out/capture.out")
tail -n 1 "$out/capture.out" | awk -v emitted="$emitted" '
    { exit !($3 == emitted && $3 == $5 + $7 && $7 < $3 * 2 / 3) }' || {
    echo "the firmware counted '$emitted'"
    exit 1
}
