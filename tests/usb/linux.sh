#!/usr/bin/env bash
# usb.linux: the device stack, compiled for this machine, on the USB of a Linux guest: enumeration, bytes both ways,
# port closed and opened, suspend, cable out and in. Usage: linux.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
. boards/boot.sh
program=$1/tests/usb/usb_bytes
out=$1/usb.linux
rm -rf "$out" && mkdir -p "$out" || exit 1
# Not below BUILD: the name of a unix socket has at most 107 bytes.
folder=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT

python3 -c 'import sys; sys.stdout.buffer.write(bytes((i + i // 256 * 7) % 256 for i in range(64000)))' >"$out/pattern"
timeout 120 node tests/usb/bridge.mjs "$program" "$folder/usb" "$folder/control" >"$out/bridge.log" 2>&1 &
bridge=$!
until kymo_listens "$folder/control" || ! kill -0 $bridge 2>/dev/null; do
    sleep 0.05
done
KYMO_GUEST_CONTROL=$folder/control tests/usb/guest.sh "$out" "$folder/usb" tests/usb/bytes_guest.sh "$out/pattern"
guest_status=$?
wait $bridge
bridge_status=$?
cat "$out/bridge.log" "$out/script.log"
[ $guest_status -eq 0 ] || { echo "the guest ended with $guest_status"; exit 1; }
[ $bridge_status -eq 0 ] || { echo "the bridge ended with $bridge_status"; exit 1; }
