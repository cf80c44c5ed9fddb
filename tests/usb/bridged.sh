# SPDX-License-Identifier: MIT
# Sourced after boards/boot.sh: kymo_bridged OUT PROGRAM SCRIPT FILE ... runs SCRIPT in the Linux guest, with the
# files and with the USB device that PROGRAM is (bridge.mjs). Lines that the script writes to /dev/ttyS2 pull the
# device's cable, "unplug", and put it in again, "plug". Ends the test if something is wrong.
kymo_bridged() {
    local out=$1 program=$2 folder bridge guest_status bridge_status
    shift 2
    [ -x "$program" ] || { echo "$program is missing: build it first (tests/run.sh does it)"; exit 1; }
    # Not below OUT: the name of a unix socket has at most 107 bytes.
    folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") || exit 1
    timeout 1800 node tests/usb/bridge.mjs "$program" "$folder/usb" "$folder/control" >"$out/bridge.log" 2>&1 &
    bridge=$!
    until kymo_listens "$folder/control" || ! kill -0 $bridge 2>/dev/null; do
        sleep 0.05
    done
    KYMO_GUEST_CONTROL=$folder/control tests/usb/guest.sh "$out" "$folder/usb" "$@"
    guest_status=$?
    wait $bridge
    bridge_status=$?
    rm -rf "$folder"
    cat "$out/bridge.log" "$out/script.log"
    [ $guest_status -eq 0 ] || { echo "the guest ended with $guest_status"; exit 1; }
    [ $bridge_status -eq 0 ] || { echo "the bridge ended with $bridge_status"; exit 1; }
}
