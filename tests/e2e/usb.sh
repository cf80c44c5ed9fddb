#!/usr/bin/env bash
# e2e.BOARD.usb: the board's own USB socket, plugged into a Linux guest: its xhci and cdc-acm drivers make a
# serial port of it, which hostlink in the guest captures. Judged by what the firmware itself counted.
# Usage: usb.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. boards/boot.sh
build=$1
hostlink=$2
out=$build/e2e.usb
[ -x "$hostlink" ] || {
    echo "$hostlink is missing: build the preset 'host' first (tests/run.sh does it)"
    exit 1
}
rm -rf "$out" && mkdir -p "$out" || exit 1

kymo_capture_usb() {
    local folder
    # Not below BUILD: the name of a unix socket has at most 107 bytes.
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") || return 1
    timeout 120 "$build/run" "$folder/usb" >"$build/emulator.log" 2>&1 &
    local board=$!
    until kymo_listens "$folder/usb" || ! kill -0 $board 2>/dev/null; do
        sleep 0.05
    done
    tests/usb/guest.sh "$out" "$folder/usb" tests/e2e/usb_guest.sh "$hostlink"
    guest_status=$?
    kill $board 2>/dev/null # unless it is at its end
    wait $board
    board_status=$?
    rm -rf "$folder"
}

kymo_capture_usb
cat "$out/capture.err" "$out/script.log" 2>/dev/null
[ "$guest_status" -eq 0 ] || { tail -n 5 "$build/emulator.log"; echo "the guest ended with $guest_status"; exit 1; }
[ "$board_status" -eq 0 ] || { tail -n 5 "$build/emulator.log"; echo "the firmware ended with $board_status"; exit 1; }
hostlink_status=$(cat "$out/hostlink_status")
[ "$hostlink_status" -eq 0 ] || { echo "hostlink ended with $hostlink_status"; exit 1; }
diff "$out/device" - <<<"$(printf 'kymo\nkymo board\nE660583883123456')" || exit 1

"$hostlink" convert "$out/demo.kymo" -o "$out/demo.pftrace" -o "$out/demo.json" -o "$out/demo.csv" >"$out/convert.out" 2>&1 || {
    cat "$out/convert.out"
    exit 1
}
python3 tests/e2e/judge.py "$out"
