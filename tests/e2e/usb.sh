#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.usb: the demo over the board's own USB socket. That is plugged into a Linux guest, whose xhci and
# cdc-acm drivers make a serial port of it, which hostlink in the guest captures. Usage: usb.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
. tests/e2e/judged.sh

# Like boards/boot.sh, with the guest in between; the other outputs are made of the capture, here.
kymo_capture() {
    local build=$1 seconds=$2 hostlink=$3 folder board out=$1/e2e.usb/guest
    shift 6 # @SOURCE@ -o FILE
    # Not below BUILD: the name of a unix socket has at most 107 bytes.
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && mkdir "$out" || exit 1
    timeout "$seconds" "$build/run" "$folder/usb" >"$build/emulator.log" 2>&1 &
    board=$!
    until kymo_listens "$folder/usb" || ! kill -0 $board 2>/dev/null; do
        sleep 0.05
    done
    tests/usb/guest.sh "$out" "$folder/usb" tests/e2e/usb_guest.sh "$hostlink" >&2
    hostlink_status=$?
    kill $board 2>/dev/null # unless it is at its end
    wait $board
    board_status=$?
    rm -rf "$folder"
    cat "$out/capture.out" 2>/dev/null
    cat "$out/script.log" "$out/capture.err" 2>/dev/null >&2
    [ $hostlink_status -eq 0 ] || { tail -n 5 "$build/emulator.log" >&2; return; }
    mv "$out/demo.kymo" "$build/e2e.usb" && "$hostlink" convert "$build/e2e.usb/demo.kymo" "$@" >"$out/convert.out" 2>&1 ||
        cat "$out/convert.out" >&2
}

judged usb "$1" "$2" || exit 1
# The kernel's and hostlink's reading; the serial number is that of the emulated flash chip (boards/*/flash.mjs).
seen=$1/e2e.usb/guest
diff "$seen/device" - <<<"$(printf 'kymo\nkymo board\nE660583883123456')" || exit 1
grep -q '^/dev/ttyACM0 *kymo *1209:0001 *E660583883123456 ' "$seen/list" || { cat "$seen/list"; exit 1; }
