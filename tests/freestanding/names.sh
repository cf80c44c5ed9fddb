#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# With KYMO_NAMES 0 and kymo_elf.ld no name is loaded, and all are in the ELF file; by both compilers and linkers, on
# every family of cores.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# Strings of every.c that the firmware gives at run time.
run_time='marker (text|rename|info|lane|image|print|core|task|queue|lock|object)'

# The loaded sections, by the port's own binutils.
loaded() {
    local prefix
    case $freestanding_port in
    riscv) prefix=riscv64-unknown-elf ;;
    cortex-m) prefix=arm-none-eabi ;;
    aarch64) prefix=aarch64-linux-gnu ;;
    x86) prefix=x86_64-linux-gnu ;;
    esac
    $prefix-objcopy -O binary "$1" "$work/bin" || { echo "marker: $prefix-objcopy failed"; return; }
    strings -n 4 "$work/bin" | grep -E 'marker|every\.c' | grep -vE "$run_time"
}

# link NAME COMPILER ...: $work/NAME.elf. The recorder without optimisation, which moves no name, in a third of the time.
link() {
    local name=$1 flags=("${freestanding_flags[@]}" -Wno-unused-command-line-argument "-DKYMO_NAMES=$names") sources
    mapfile -t sources < <(find "ports/arch/$freestanding_port" ports/unwind -name '*.c')
    "${@:2}" "${flags[@]}" -O0 -c "$work/runtime.c" -o "$work/runtime.o" 2>"$work/log" &&
        "${@:2}" "${flags[@]}" -Os "$work/runtime.o" "${sources[@]}" \
            ports/transport/ns16550.c tests/freestanding/every.c tests/freestanding/start.c \
            -nostdlib -static -Wl,--gc-sections -T tests/freestanding/names.ld -Wl,-T,runtime/kymo_elf.ld \
            -o "$work/$name.elf" 2>"$work/log" || { cat "$work/log"; return 1; }
}

names_one() {
    case $1 in gcc-rv64 | clang-rv32 | gcc-cortex-m4 | clang-cortex-m4 | gcc-aarch64 | gcc-x86-64 | clang-x86-64) ;; *) return 0 ;; esac
    local found
    names=0 link "$@" || return 1
    found=$(loaded "$work/$1.elf")
    [ -z "$found" ] || { echo "$1: names are loaded: $found"; return 1; }
    found=$(strings -n 4 "$work/$1.elf" | grep -cE 'marker (zone|plot|constant|pool|timer|gain)$')
    [ "$found" -eq 6 ] || { echo "$1: $found of 6 names are in the ELF file"; return 1; }
    echo "$1: names in the ELF file only"
}

freestanding_as_one "$work/runtime.c"
freestanding_each names_one || exit 1
# The same check must find names where they are.
freestanding_port=cortex-m
names=1 link named arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Iports/arch/cortex-m -DKYMO_LANES=1 || exit 1
[ -n "$(loaded "$work/named.elf")" ] || { echo "with KYMO_NAMES 1 no name is loaded either: this test checks nothing"; exit 1; }
