#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# elf.BOARD: the demo of a board that has its names only in the ELF file (KYMO_NAMES 0). hostlink takes them from there,
# the capture then needs the file no more; and the image loaded into the board has none of them.
# Usage: elf.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
. tests/e2e/judged.sh
build=$1 hostlink=$2
export KYMO_ELF=$build/firmware.elf
judged uart "$build" "$hostlink" || exit 1

# Names that only kymo has in this image: formats, constant strings, files.
names='image %u: steering|^brake$|boards/common/demo\.c'
riscv64-unknown-elf-objcopy -O binary "$KYMO_ELF" "$build/e2e.uart/loaded.bin" || exit 1
if strings "$build/e2e.uart/loaded.bin" | grep -E "$names"; then
    echo "names are loaded into the board"
    exit 1
fi
[ "$(strings "$KYMO_ELF" | grep -cE "$names")" -ge 3 ] || {
    echo "the ELF file has no such names: this test checks nothing"
    exit 1
}
