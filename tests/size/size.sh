#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Cost of the recorder by feature: links smallest images and prints ROM and RAM beside the same image
# without kymo; fails where a limit of budget.csv is passed. gcc, -Os, unused sections left out.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0

cross=riscv64-unknown-elf
command -v $cross-gcc >/dev/null || {
    echo "$cross-gcc is missing; tests/run.sh installs it"
    exit 1
}

flags_of() {
    case $1 in
    rv32imac) echo -march=rv32imac_zicsr -mabi=ilp32 ;;
    rv64imac) echo -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany ;;
    *) echo "tests/size/budget.csv: no core '$1'" >&2; return 1 ;;
    esac
}

# compile FOLDER OPTION ...: each source of the runtime, once for these options; the folder is theirs. Their names in
# the list's order are then in "objects".
compile() {
    local source object
    objects=()
    mkdir -p "$1"
    for source in $(freestanding_sources); do
        object=$1/$(basename "$source" .c).o
        objects+=("$object")
        [ -e "$object" ] || "${@:2}" -c "$source" -o "$object" || return 1
    done
}

# image CORE FEATURES [FLAG ...]: "code constants ram", ram without the ring.
image() {
    local command folder objects ring
    folder=$work/$(tr -c 'a-zA-Z0-9\n' _ <<<"$1 ${*:3}")
    read -ra command < <(flags_of "$1") || return 1
    command=($cross-gcc "${command[@]}" "${freestanding_flags[@]}" -fno-tree-loop-distribute-patterns -Os -Iports/arch/riscv
        -DKYMO_LANES=1 "${@:3}")
    { compile "$folder" "${command[@]}" && "${command[@]}" -DFEATURES="$2" -c tests/size/feature.c -o "$work/feature.o" &&
        "${command[@]}" -nostdlib -static -Wl,--gc-sections -Wl,-N -Wl,-Map="$work/map" "$work/feature.o" "${objects[@]}" \
            -lgcc -o "$work/image"; } 2>"$work/log" || {
        cat "$work/log" >&2
        return 1
    }
    ring=$($cross-nm -S "$work/image" | awk '$4 == "kymo_rings" { print $2 }')
    $cross-size -A "$work/image" | awk -v ring=$((16#${ring:-0})) '
        $1 ~ /^\.text/ { code += $2 }
        $1 ~ /^\.s?rodata|^kymo_(sites|params)/ { constants += $2 }
        $1 ~ /^\.s?(data|bss)/ { ram += $2 }
        END { printf "%d %d %d\n", code, constants, ram - ring }'
}

printf '%-10s %-34s %8s %9s %8s\n' core features code constants RAM
while IFS=, read -r core name features code_limit ram_limit; do
    case $core in '' | core | \#*) continue ;; esac
    read -r code constants ram < <(image "$core" "$features") || exit 1
    read -r code0 constants0 ram0 < <(image "$core" 0) || exit 1
    code=$((code - code0)) constants=$((constants - constants0)) ram=$((ram - ram0))
    printf '%-10s %-34s %8d %9d %8d\n' "$core" "$name" $code $constants $ram
    if [ $code -gt "$code_limit" ]; then
        echo "  code is above its limit of $code_limit bytes (tests/size/budget.csv)"
        status=1
    fi
    if [ $ram -gt "$ram_limit" ]; then
        echo "  RAM is above its limit of $ram_limit bytes (tests/size/budget.csv)"
        status=1
    fi
    if [ $code -le 0 ]; then
        echo "  no code at all: this measures nothing"
        status=1
    fi
done <tests/size/budget.csv

# part NAME LIMIT SOURCE ...: code and constants that these files have in the image linked last.
part() {
    local name=$1 limit=$2 bytes
    shift 2
    bytes=$(python3 tests/size/part.py "$work/map" "$@") || exit 1
    printf '%-45s %8d\n' "$name" "$bytes"
    if [ "$bytes" -gt "$limit" ] || [ "$bytes" -eq 0 ]; then
        echo "  must be above 0 and at most $limit bytes"
        status=1
    fi
}

# The smallest image that sends zones: no commands, names in the ELF file, a ring of 256 bytes, packets of 192 and 8 slots.
# smallest CORE PREFIX "FLAG ..." PORT ROM_LIMIT RAM_LIMIT ROM_MARK RAM_MARK: RAM beside the ring and the buffer
# of packets. The marks are the goal; the limits are today's sizes and 3 % for another compiler, and may only
# become smaller.
smallest() {
    local flags sources rom ram
    command -v "$2gcc" >/dev/null || {
        echo "$2gcc is missing; tests/run.sh installs it"
        exit 1
    }
    read -ra flags <<<"$3"
    mapfile -t sources < <(freestanding_sources; find "ports/arch/$4" -name '*.c')
    "$2gcc" "${flags[@]}" "${freestanding_flags[@]}" -fno-tree-loop-distribute-patterns -Os -I"ports/arch/$4" -DKYMO_LANES=1 \
        -DFEATURES=129 -DKYMO_COMMANDS=0 -DKYMO_NAMES=0 -DKYMO_RING_BYTES=256 -DKYMO_PACKET_BYTES=192 \
        -nostdlib -static -Wl,--gc-sections -Wl,-N tests/size/feature.c \
        "${sources[@]}" -lgcc -o "$work/smallest" 2>"$work/log" || { cat "$work/log" >&2 && exit 1; }
    rom=$("$2size" -A "$work/smallest" | awk '$1 ~ /^\.(text|s?rodata)|^kymo_(sites|params)/ { sum += $2 } END { print sum }')
    ram=$("$2size" -A "$work/smallest" | awk '$1 ~ /^\.s?(data|bss)/ { sum += $2 } END { print sum - 256 - 195 }')
    printf '%-10s %-34s %8d %9s %8d   marks %d and %d\n' "$1" smallest "$rom" '' "$ram" \
        "$7" "$8"
    if [ "$rom" -gt "$5" ] || [ "$ram" -gt "$6" ] || [ "$rom" -lt 1000 ] || [ "$ram" -lt 50 ]; then
        echo "  not within ROM 1000 to $5 and RAM 50 to $6 bytes (tests/size/size.sh)"
        status=1
    fi
}
echo
rv32="-march=rv32imac_zicsr -mabi=ilp32"
m4="-mcpu=cortex-m4 -mthumb"
smallest rv32imac $cross- "$rv32" riscv 8900 580 5120 350
smallest cortex-m4 arm-none-eabi- "$m4" cortex-m 8470 605 5120 350

echo
printf '%-45s %8s\n' "rv32imac, zones + messages + plots, by part" bytes
read -r code constants _ < <(image rv32imac 135) || exit 1
all=$((code + constants))
read -r code constants _ < <(image rv32imac 135 -DKYMO_COMMANDS=0) || exit 1
part "recording, encoding, framing, drain" 8650 record ring_masked lifecycle encode events any_event out packet ready choose drain mem
part "names, session, status" 715 describe
part "start, and its mark for memory dumps" 270 init
printf '%-45s %8d\n' "commands of the host (KYMO_COMMANDS)" $((all - code - constants))
read -r _ < <(image rv32imac 135) || exit 1
part "  of these, the refusal of those of a network" 64 guard
read -r _ < <(image rv32imac 135 -DKYMO_COMMAND_KEY="$(echo 0x{10..25} | tr ' ' ,)") || exit 1
part "  or the check with a key (KYMO_COMMAND_KEY)" 1020 guard

# saved CORE: bytes that names take in memory.
saved() {
    local code constants
    read -r code constants _ < <(image "$1" 255) || return 1
    all=$((code + constants))
    read -r code constants _ < <(image "$1" 255 -DKYMO_NAMES=0 -Wl,-T,runtime/kymo_elf.ld) || return 1
    printf '%-45s %8d\n' "$1, saved by names only in the ELF file" $((all - code - constants))
    [ $((all - code - constants)) -gt 0 ] || { echo "  must be above 0" && status=1; }
}
echo
saved rv32imac && saved rv64imac || exit 1
exit $status
