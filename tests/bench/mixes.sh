#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Instructions to record and to send an event, and its bytes with framing and CRC, in programs like real ones (see
# mixes/mix.h), by the emulator's counter; then the load on a small instruction cache (cache.py).
# Fails where a mark is missed or an event was lost.
# Usage: tests/bench/mixes.sh [DEFINITION ...], as KYMO_DRAIN_INSTRUCTIONS=20000, which prints alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
mkfifo "$work/log"
status=0
knobs=("${@/#/-D}")

for tool in qemu-system-riscv64 qemu-system-arm riscv64-unknown-elf-gcc arm-none-eabi-gcc timeout; do
    command -v $tool >/dev/null || {
        echo "$tool is missing; tests/run.sh installs it"
        exit 1
    }
done

# name | compiler and core | port, start-up code and where the program's clock is | places | machine
table="
rv64 -O2     |riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -O2 |riscv tests/bench/instructions/start.S 0x80300000   |-T tests/bench/instructions/link.ld |riscv64 -M virt -bios none -serial stdio
rv64 -Os     |riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -Os |riscv tests/bench/instructions/start.S 0x80300000   |-T tests/bench/instructions/link.ld |riscv64 -M virt -bios none -serial stdio
Cortex-M4 -O2|arm-none-eabi-gcc -mthumb -mfloat-abi=soft -mcpu=cortex-m4 -DSTACK_TOP=0x20010000 -O2 |cortex-m tests/ports/cortex-m/start.S 0x20018000 |-Wl,--section-start=.vectors=0x08000000,-Ttext=0x08000400,-Tdata=0x20000000,-e,start,--defsym=__aeabi_unwind_cpp_pr0=0,--defsym=__aeabi_unwind_cpp_pr1=0 |arm -M netduinoplus2 -serial null -semihosting-config enable=on,target=native
Cortex-M4 -Os|arm-none-eabi-gcc -mthumb -mfloat-abi=soft -mcpu=cortex-m4 -DSTACK_TOP=0x20010000 -Os |cortex-m tests/ports/cortex-m/start.S 0x20018000 |-Wl,--section-start=.vectors=0x08000000,-Ttext=0x08000400,-Tdata=0x20000000,-e,start,--defsym=__aeabi_unwind_cpp_pr0=0,--defsym=__aeabi_unwind_cpp_pr1=0 |arm -M netduinoplus2 -serial null -semihosting-config enable=on,target=native
"

# Instructions of recording and sending together, by row: S Z P R, and a call of kymo_drain() with nothing to do. On rv64
# P and R change by up to 14 with the addresses of sites and objects, which decide the chains that they share.
declare -A mark=(
    ['rv64 -O2']='139 154 242 287 51' ['rv64 -Os']='153 170 281 330 63'
    ['Cortex-M4 -O2']='135 140 219 249 53' ['Cortex-M4 -Os']='138 150 237 278 57'
)
# Thousandths of a byte: S Z P R.
byte_mark='1060 1410 2670 1970'

# Lines loaded an event, and bytes of code used: S Z P R each. The first change by a third with the places of functions,
# which the link decides: their marks are those of no place in particular.
declare -A cache_mark=(
    ['rv64 -O2']='5.2 2960 6 3400 10 3400 14 4640' ['rv64 -Os']='5.2 2860 6 3460 10 3400 14 4670'
    ['Cortex-M4 -O2']='5.2 2320 6 2860 9 2860 14 3830' ['Cortex-M4 -Os']='5.2 2590 6.6 3230 12 3200 16 4240'
)

# compile OPTION ...: with the row's options.
compile() {
    "${compiler[@]}" "${freestanding_flags[@]}" -fno-tree-loop-distribute-patterns -DKYMO_LANES=1 -DKYMO_CLOCK=2 \
        -DKYMO_CLOCK_ADDRESS="${port[2]}" -DKYMO_CLOCK_HIGH_ADDRESS=$((port[2] + 4)) -DKYMO_CLOCK_HZ=100000000 \
        "${knobs[@]}" -Wno-cast-function-type -I"ports/arch/${port[0]}" -Iruntime/src "$@"
}

# objects: the recorder's, once for both images of a row.
objects() {
    local source
    objects=() && mkdir -p "$work/objects"
    while read -r source; do
        objects+=("$work/objects/${source//\//-}.o")
        compile -c "$source" -o "${objects[-1]}" || return 1
    done < <(freestanding_sources && ls "ports/arch/${port[0]}/arch.c" 2>/dev/null)
}

# image [DEFINITION ...]
image() {
    compile "$@" -nostdlib -static -Wl,--gc-sections "-Wl,--defsym=bench_clock=${port[2]}" "${places[@]}" "${port[1]}" \
        tests/bench/mixes/main.c "${objects[@]}" -lgcc -o "$work/image"
}

# run MACHINE [OPTION ...]
run() {
    local machine
    read -ra machine <<<"$1"
    timeout 1800 "qemu-system-${machine[0]}" "${machine[@]:1}" "${@:2}" -display none -monitor none \
        -kernel "$work/image" </dev/null 2>&1 | tr -d '\r'
}

# count_lines MACHINE: "LINES; BYTES" for each program, the lines loaded an event and the code that calls use.
count_lines() {
    python3 tests/bench/cache.py "$work/symbols" <"$work/log" >"$work/lines" &
    run "$1" -icount shift=0 -d in_asm,exec,nochain -D "$work/log" >"$work/counts"
    wait $! && paste "$work/counts" "$work/lines" | awk '$1 != "idle" { printf "%.1f; %d\n", $6 / $2, $7 }'
}

# check NAME COUNT MARK
check() {
    [ ${#knobs[@]} -ne 0 ] || awk "BEGIN { exit !($2 <= $3) }" || {
        echo "  $1 takes $2, more than its mark of $3"
        status=1
    }
}

printf '%-24s %11s %11s %11s %11s %9s\n' 'instructions an event' 'S' 'Z' 'P' 'R' 'idle call'
while IFS='|' read -r name compiler port places machine; do
    read -r name <<<"$name"
    [ -n "$name" ] || continue
    read -ra compiler <<<"$compiler"
    read -ra port <<<"$port"
    read -ra places <<<"$places"
    objects && image && run "$machine" -icount shift=0 >"$work/counts"
    awk '$2 > 0 { whole++ } END { exit whole != 5 }' "$work/counts" || {
        cat "$work/counts"
        echo "$name: no result, or events were lost"
        exit 1
    }
    # Each as RECORDING + SENDING.
    awk -v name="$name" 'BEGIN { printf "%-24s", name }
        $1 == "idle" { printf " %9.0f\n", $4 / 1000; next }
        { printf " %11s", sprintf("%.0f + %.0f", $3 / 1000, $4 / 1000) }' "$work/counts"
    read -ra marks <<<"${mark[$name]}"
    at=0
    while read -r mix _ recording sending _; do
        check "$name, $mix" "$(((recording + sending) / 1000))" "${marks[at++]}"
    done <"$work/counts"
    awk '$1 != "idle" { print $5 }' "$work/counts" >"$work/bytes.${port[0]}"
    # A few rounds are enough here, and their log is long.
    image -DROUNDS=20u && nm "$work/image" >"$work/symbols"
    count_lines "$machine" >"$work/cache.$name"
done <<<"$table"

read -ra marks <<<"$byte_mark"
for bytes in "$work"/bytes.*; do # the same at each level
    mapfile -t figures <"$bytes"
    printf '%-24s' "bytes an event, ${bytes##*.}"
    for at in 0 1 2 3; do
        printf ' %11s' "$(awk "BEGIN { printf \"%.2f\", ${figures[at]} / 1000 }")"
    done
    echo
    for at in 0 1 2 3; do check "thousandths of a byte, ${bytes##*.}" "${figures[at]}" "${marks[at]}"; done
done

printf '\n%-24s %11s %11s %11s %11s\n' 'lines loaded; code used' 'S' 'Z' 'P' 'R'
while IFS='|' read -r name _; do
    read -r name <<<"$name"
    [ -n "$name" ] || continue
    mapfile -t figures <"$work/cache.$name"
    read -ra marks <<<"${cache_mark[$name]}"
    printf '%-24s' "$name"
    printf ' %11s' "${figures[@]}"
    echo
    for at in 0 1 2 3; do
        check "$name, lines loaded" "${figures[at]%;*}" "${marks[2 * at]}"
        check "$name, code used" "${figures[at]#*; }" "${marks[2 * at + 1]}"
    done
done <<<"$table"
exit $status
