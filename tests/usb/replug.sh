#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usb.replug: the demo, compiled for this machine, on the USB of a Linux guest; its cable is out for a moment while
# hostlink captures. Usage: replug.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. boards/boot.sh
. tests/usb/bridged.sh
out=$1/usb.replug
[ -x "$2" ] || { echo "$2 is missing: build the preset 'host' first (tests/run.sh does it)"; exit 1; }
rm -rf "$out" && mkdir -p "$out" || exit 1
kymo_bridged "$out" "$1/tests/usb/usb_device" tests/usb/replug_guest.sh "$2"
cat "$out/capture.err"
tail -n 1 "$out/capture.out"

wrong() {
    echo "$1"
    exit 1
}

# Events under way when the cable went are lost, as are those that found the ring full; both are counted. But values
# of a zone that was refused are no events, though the demo counts them, as "notes".
read -r emitted delivered lost < <(sed -nE 's/^events: emitted ([0-9]+) delivered ([0-9]+) lost ([0-9]+)$/\1 \2 \3/p' "$out/capture.out")
printed=$(sed -n 's/.*demo: emitted \([0-9]*\).*/\1/p' "$out/capture.out")
notes=$(sed -n 's/.*demo: notes \([0-9]*\).*/\1/p' "$out/capture.out")
missing=$((${printed:-0} - ${emitted:-0}))
[ "${emitted:-0}" -gt 0 ] && [ $missing -ge 0 ] && [ $missing -le "${notes:-0}" ] ||
    wrong "the board counts ${printed:-nothing} with ${notes:-no} notes, hostlink ${emitted:-nothing}"
[ $((delivered + lost)) -eq "$emitted" ] || wrong "delivered and lost are not all"
[ "$delivered" -gt $((emitted / 4)) ] || wrong "more of it must arrive"
grep -q 'demo: checks passed' "$out/capture.out" || wrong "the board does not say that all is well"
[ "$(cat "$out/plugged")" = 2 ] || wrong "the board was not plugged in twice"
