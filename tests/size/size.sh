#!/usr/bin/env bash
# What the recorder costs by feature: links smallest images and prints ROM and RAM beside the same image
# without kymo; fails where a limit of budget.csv is passed. gcc, -Os, sections that nobody uses left out.
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

# image CORE FEATURES [FLAG ...]: "code constants ram", ram without the ring.
image() {
    local flags sources
    read -ra flags < <(flags_of "$1") || return 1
    mapfile -t sources < <(freestanding_sources)
    $cross-gcc "${flags[@]}" "${freestanding_flags[@]}" -fno-tree-loop-distribute-patterns -Os -Iports/arch/riscv \
        -DKYMO_LANES=1 -DFEATURES="$2" "${@:3}" -nostdlib -static -Wl,--gc-sections -Wl,-N -save-temps=obj -dumpdir "$work/" \
        -Wl,-Map="$work/map" tests/size/feature.c "${sources[@]}" -lgcc -o "$work/image" 2>"$work/log" || {
        cat "$work/log" >&2
        return 1
    }
    local ring
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

echo
printf '%-45s %8s\n' "rv32imac, zones + messages + plots, by part" bytes
read -r code constants _ < <(image rv32imac 135) || exit 1
all=$((code + constants))
read -r code constants _ < <(image rv32imac 135 -DKYMO_COMMANDS=0) || exit 1
part "recording, encoding, framing, drain" 7420 record ring_masked ring_masked_read lifecycle encode events frame drain mem
part "names, session, status" 1128 describe
part "start, and its mark for memory dumps" 190 init
printf '%-45s %8d\n' "commands of the host (KYMO_COMMANDS)" $((all - code - constants))
read -r _ < <(image rv32imac 135) || exit 1
part "  of these, the refusal of those of a network" 64 guard
read -r _ < <(image rv32imac 135 -DKYMO_COMMAND_KEY="$(echo 0x{10..25} | tr ' ' ,)") || exit 1
part "  or the check with a key (KYMO_COMMAND_KEY)" 1004 guard

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
