#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# package.knobs: a misspelt knob, or keyword of a CMake function, stops the configuration, with the one that is meant; each knob that there is passes. A
# firmware and a runtime with different knobs do not link, and the linker names the knob.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT

# configure DEFINITION ...
configure() {
    cat >"$work/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES C)
add_subdirectory($top kymo)
kymo_add_runtime(kymo_here ARCH riscv TRANSPORTS ns16550 DEFINITIONS $*)
TEXT
    cmake -G Ninja -S "$work" -B "$work/build" >"$work/out" 2>&1
}
# suggests TYPED MEANT
suggests() {
    ! configure "$1=1" || { echo "$1 was accepted"; exit 1; }
    tr -s ' \n' ' ' <"$work/out" | grep -qF "no knob is called $1: do you mean $2?" || {
        echo "$1: not '$2' but:"
        tail -n 12 "$work/out"
        exit 1
    }
}
suggests KYMO_RING_BYTE KYMO_RING_BYTES
suggests KYMO_CLOCKHZ KYMO_CLOCK_HZ

# keyword LINE WORD MEANT: a call of kymo_add_runtime() that CMake refuses, as a keyword is misspelt.
keyword() {
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(mine LANGUAGES C)\nadd_subdirectory(%s kymo)\n%s\n' "$top" "$1" \
        >"$work/CMakeLists.txt"
    ! cmake -G Ninja -S "$work" -B "$work/build" >"$work/out" 2>&1 || { echo "$1 was accepted"; exit 1; }
    tr -s ' \n' ' ' <"$work/out" | grep -qF "no keyword is called $2: do you mean $3? There are " || {
        echo "$1: not '$3' but:"
        tail -n 12 "$work/out"
        exit 1
    }
}
keyword 'kymo_add_runtime(here ARCHS riscv TRANSPORTS ns16550)' ARCHS ARCH
keyword 'kymo_add_runtime(here ARCH riscv TRANSPORT ns16550)' TRANSPORT TRANSPORTS
keyword 'kymo_add_runtime(here ARCH riscv TRANSPORTS ns16550 DEFINITION KYMO_LANES=2)' DEFINITION DEFINITIONS
keyword 'kymo_add_runtime(here ARCH riscv TRANSPORTS ns16550 DEFINITIONS KYMO_LANES=2 NOLIBC)' NOLIBC NO_LIBC
keyword 'kymo_add_runtime(here ARCH riscv DEFINES KYMO_LANES=2)' DEFINES DEFINITIONS
keyword 'kymo_functions(it EXCLUDES kymo.c)' EXCLUDES EXCLUDE
mapfile -t knobs < <(sed -nE 's/^#ifndef (KYMO_[A-Z_]+)$/\1=1/p' runtime/include/kymo/{config,constants}.h \
    ports/arch/riscv/kymo_arch.h | grep -v '_H=1$')
[ ${#knobs[@]} -ge 20 ] || { echo "only ${#knobs[@]} knobs"; exit 1; }
configure "${knobs[*]}" MY_OWN=3 || { tail -n 12 "$work/out"; exit 1; }

# asks FIRMWARE RUNTIME LINKER: the knobs that the linker does not find, for a firmware and a runtime that have these.
rv64='riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -ffreestanding -O2 -c'
printf '#include "kymo/kymo.h"\nvoid use(void);\nvoid use(void) { KYMO_ZONE("zone"); }\n' >"$work/firmware.c"
asks() {
    local includes=(-I"$top/runtime/include" -I"$top/ports/arch/riscv")
    $rv64 "${includes[@]}" "-D$1" "$work/firmware.c" -o "$work/firmware.o" || exit 1
    $rv64 "${includes[@]}" "-D$2" runtime/src/send/init.c -o "$work/init.o" || exit 1
    $3 "$work/firmware.o" "$work/init.o" -o "$work/image" 2>&1 |
        grep -o 'kymo_runtime_was_not_built_with_[A-Z_0-9]*' | sort -u | sed 's/.*_with_//'
}
# differ FIRMWARE RUNTIME NAMED: also where the linker drops what no code uses.
differ() {
    local linker seen
    for linker in 'riscv64-unknown-elf-ld -e use' 'riscv64-unknown-elf-ld -e use --gc-sections'; do
        seen=$(asks "$1" "$1" "$linker")
        [ "$seen" = "" ] || { echo "$linker: $1 in both: asks for $seen"; exit 1; }
        seen=$(asks "$1" "$2" "$linker")
        [ "$seen" = "$3" ] || { echo "$linker: $1 and $2: asks for '$seen', not $3"; exit 1; }
    done
}
differ KYMO_NAMES=0 KYMO_NAMES=1 KYMO_NAMES_0
# No place in the image, where firmware may have its first function.
riscv64-unknown-elf-nm "$work/init.o" | grep 'kymo_runtime_was_not' | grep -qv ' A ' && { echo "a knob is a place"; exit 1; }
differ KYMO_NAMES=1 KYMO_NAMES=0 KYMO_NAMES_1
differ KYMO_CALLSTACKS=8 KYMO_CALLSTACKS=0 KYMO_CALLSTACKS
differ KYMO_TRACING_MODE=4 KYMO_TRACING_MODE=2 KYMO_CALLSTACKS
differ KYMO_TRACING_MODE=2 KYMO_TRACING_MODE=1 KYMO_TRACING_MODE_2
echo "${#knobs[@]} knobs pass, 2 misspelt ones do not"
