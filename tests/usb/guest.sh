#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# guest.sh OUT SOCKET SCRIPT [PROGRAM ...]: boots Linux in QEMU with the USB device that a server on the unix
# socket SOCKET has, by the usbredir protocol, and runs SCRIPT there in busybox's shell. The programs are in
# its PATH. Files that the script leaves in /out arrive in the folder OUT, and its exit status is that of this. If
# KYMO_GUEST_CONTROL is set, that unix socket gets the guest's output to /dev/ttyS2.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1
socket=$2
script=$3
shift 3
kernel=$here/../../build/guest
"$here/kernel.sh" "$kernel" || exit 1

# The guest's files; a program with the libraries that it is linked with.
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,dev,lib,out,proc,sys} || exit 1
cp "$here/init" "$root/init" && cp "$script" "$root/script" && cp "$kernel"/kernel/*.ko "$root/lib" || exit 1
for program in "$(command -v busybox)" "$@"; do
    cp "$program" "$root/bin" || exit 1
    while read -r library; do
        mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library" || exit 1
    done < <(ldd "$program" 2>/dev/null | grep -oE '/[^ ]+')
done
(cd "$root" && find . | cpio --quiet -o -H newc) >"$out/initrd" || exit 1

serial=(-serial "file:$out/guest.log" -serial "file:$out/guest.tar")
if [ -n "${KYMO_GUEST_CONTROL:-}" ]; then
    serial+=(-serial "unix:$KYMO_GUEST_CONTROL")
fi
timeout 1800 qemu-system-x86_64 -M q35 -m 256 -nodefaults -display none -monitor none -no-reboot \
    "${serial[@]}" \
    -kernel "$kernel/kernel/vmlinux" -initrd "$out/initrd" \
    -append 'console=ttyS0 quiet panic=-1 nokaslr mitigations=off' \
    -device qemu-xhci -chardev "socket,id=usb,path=$socket" -device usb-redir,chardev=usb
qemu=$?
rm "$out/initrd"
tar -x -C "$out" -f "$out/guest.tar" 2>/dev/null && rm "$out/guest.tar" && exit "$(cat "$out/status")"
echo "the Linux guest ended early (QEMU's status is $qemu); the end of $out/guest.log:" >&2
tail -n 20 "$out/guest.log" >&2
exit 1
