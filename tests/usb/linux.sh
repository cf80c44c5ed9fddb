#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usb.linux: the device stack, compiled for this machine, on the USB of a Linux guest: enumeration, bytes both ways,
# port closed and opened, suspend, cable out and in. Usage: linux.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
. boards/boot.sh
. tests/usb/bridged.sh
out=$1/usb.linux
rm -rf "$out" && mkdir -p "$out" || exit 1
python3 -c 'import sys; sys.stdout.buffer.write(bytes((i + i // 256 * 7) % 256 for i in range(64000)))' >"$out/pattern"
kymo_bridged "$out" "$1/tests/usb/usb_bytes" tests/usb/bytes_guest.sh "$out/pattern"
