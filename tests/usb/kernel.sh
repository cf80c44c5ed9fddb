#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# kernel.sh FOLDER: puts Debian's kernel for the Linux guest of the USB tests into FOLDER, once: vmlinux and
# the modules that a USB serial device needs, numbered in the order in which they are loaded. The package is
# downloaded and unpacked, not installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/setup.sh
folder=$1
modules=(usb/common/usb-common usb/core/usbcore usb/class/cdc-acm usb/host/xhci-hcd usb/host/xhci-pci)

die() {
    echo "tests/usb/kernel.sh: $1" >&2
    exit 1
}

package() { apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1; }

# Old lists name a version that the server no longer has.
download() {
    (cd "$1" && apt-get download -o Acquire::Retries=5 "$(package)") >"$1/log" 2>&1 && return
    kymo_as_root apt-get update -o Acquire::Retries=5 >>"$1/log" 2>&1
    (cd "$1" && apt-get download -o Acquire::Retries=5 "$(package)") >>"$1/log" 2>&1
}

fetch() {
    local number=0 module
    command -v apt-get >/dev/null || die "the kernel comes from Debian's package linux-image-amd64, by apt-get"
    new=$(mktemp -d "$folder/XXXXXX") || exit 1
    trap 'rm -rf "$new"' EXIT
    kymo_again download "$new" || {
        tail -n 5 "$new/log" >&2
        die "cannot download the package that linux-image-amd64 depends on"
    }
    dpkg --fsys-tarfile "$new"/linux-image-*.deb |
        tar -x -C "$new" --wildcards './boot/vmlinuz-*' '*/drivers/usb/*.ko' || die "cannot unpack the kernel's package"
    mkdir "$new/kernel" && python3 -B tests/usb/unpack_kernel.py "$new"/boot/vmlinuz-* "$new/kernel/vmlinux" || exit 1
    for module in "${modules[@]}"; do
        number=$((number + 1))
        cp "$new"/lib/modules/*/kernel/drivers/"$module".ko "$new/kernel/$number-${module##*/}.ko" ||
            die "the kernel has no module $module"
    done
    rm -rf "$folder/kernel" && mv "$new/kernel" "$folder/kernel" || exit 1
}

mkdir -p "$folder" || exit 1
(flock 9 && { [ -d "$folder/kernel" ] || fetch; }) 9>"$folder/lock"
