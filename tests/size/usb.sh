#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Cost of USB: ROM (code and constants) and RAM of the device stack with its serial port, and of each driver; fails
# where a limit is passed. gcc, -Os, everything that is in the files.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0

# part | sources in ports/usb | the variable of tests/size/usb.c | limits of ROM and RAM in bytes
parts='
stack and serial port |usb_cdc usb_descriptors usb_device usb_standard          |port   |4608 1024
usb_rp2040            |usb_rp2040                                               |rp2040 |3072 320
'

# measure PREFIX SOURCES VARIABLE FLAG ...: "ROM RAM".
measure() {
    local prefix=$1 variable=$3 sources=() name rom=0
    for name in $2; do
        sources+=("ports/usb/$name.c")
    done
    (cd "$work" && rm -f ./*.o) && for name in "${sources[@]}" tests/size/usb.c; do
        "${prefix}gcc" "${@:4}" "${freestanding_flags[@]}" -Os -Iports/usb -c "$name" -o "$work/$(basename "$name").o" || return 1
    done
    rom=$("${prefix}size" -A "$work"/usb_*.o | awk '$1 ~ /^\.(text|s?rodata)/ { sum += $2 } END { print sum }')
    # Static variables of the sources count as RAM, too.
    "${prefix}nm" -S "$work"/*.o | awk -v rom="$rom" -v variable="$variable" '
        function hex(text,  i, value) { for (i = 1; i <= length(text); i++) value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1; return value }
        $3 ~ /^[bBdDC]$/ && ($4 == variable || $4 !~ /^(port|rp2040)$/) { ram += hex($2) }
        END { print rom, ram }'
}

printf '%-10s %-22s %8s %8s\n' core part ROM RAM
while IFS='|' read -r core prefix flags; do
    [ -n "$core" ] || continue
    command -v "${prefix}gcc" >/dev/null || { echo "${prefix}gcc is missing; tests/run.sh installs it"; exit 1; }
    while IFS='|' read -r part sources variable limits; do
        [ -n "$part" ] || continue
        read -ra words <<<"$flags"
        read -r rom ram < <(measure "$prefix" "$sources" "${variable%% *}" "${words[@]}")
        read -r most_rom most_ram <<<"$limits"
        printf '%-10s %-22s %8d %8d\n' "$core" "$part" "$rom" "$ram"
        if [ "$rom" -gt "$most_rom" ] || [ "$ram" -gt "$most_ram" ] || [ "$rom" -lt 100 ] || [ "$ram" -lt 16 ]; then
            echo "  not within ROM 100 to $most_rom and RAM 16 to $most_ram (tests/size/usb.sh)"
            status=1
        fi
    done <<<"$parts"
done <<'CORES'
cortex-m0|arm-none-eabi-|-mcpu=cortex-m0 -mthumb
rv32imac|riscv64-unknown-elf-|-march=rv32imac_zicsr -mabi=ilp32
CORES
exit $status
