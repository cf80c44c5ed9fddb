#!/usr/bin/env bash
# e2e.BOARD.tcp: the demo over TCP, through the emulator's own network stack and a port of this machine; by
# both layouts of the network device's registers, of which the second is held against the firmware's total
# only. Usage: tcp.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. boards/boot.sh
. tests/e2e/judged.sh
build=$1
hostlink=$2
out=$build/e2e.tcp

judged tcp "$build" "$hostlink" || exit 1

[ -z "${KYMO_JUDGE-}" ] || exit 0 # another firmware than the demo, for its figures
export KYMO_RUN_OPTIONS="-global virtio-mmio.force-legacy=false"
kymo_capture "$build" 60 "$hostlink" @SOURCE@ -o "$out/modern.kymo" >"$out/modern.out" 2>"$out/modern.err"
[ "$hostlink_status" -eq 0 ] && [ "$board_status" -eq 0 ] || {
    cat "$out/modern.err" "$build/emulator.log"
    echo "version 2 of the device: hostlink ended with $hostlink_status, the firmware with $board_status"
    exit 1
}
printed=$(cat "$out/modern.out" "$out/modern.err" | tr -d '\r')
emitted=$(sed -n 's/.*demo: emitted \([0-9]*\).*/\1/p' <<<"$printed")
grep -qx "events: emitted $emitted delivered $emitted lost 0" <<<"$printed" || {
    echo "version 2 of the device: the firmware emitted '$emitted' events, hostlink says:"
    grep '^events:' <<<"$printed"
    exit 1
}
