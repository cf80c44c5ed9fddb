#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The walk of a newcomer, for every arch port: a project of one file gets kymo by find_package from an installed copy, with
# every transport; it links with nothing else. On one port of 32 bits and one of 64 bits also by add_subdirectory and without
# CMake as README.md says: these differ from the first in how they find the files, which is the same for every port.
# Usage: ports.sh BUILD (of the preset host)
# shellcheck disable=SC2317 # functions that attempt() calls
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
build=$1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0

# arch port | toolchain file of cmake/, or nothing for this machine | compiler | options and definitions
arm='-mthumb -mfloat-abi=soft'
x86='-mno-red-zone -mgeneral-regs-only -fno-pic -no-pie -fno-stack-protector'
aarch64='-mgeneral-regs-only -mno-outline-atomics -fno-pic -no-pie -fno-stack-protector'
ways="
aarch64  |aarch64-linux-gnu    |aarch64-linux-gnu-gcc   |$aarch64
armv7-a  |arm-none-eabi        |arm-none-eabi-gcc       |-mcpu=cortex-a7 -marm -mfloat-abi=soft
cortex-m |arm-none-eabi        |arm-none-eabi-gcc       |-mcpu=cortex-m0plus $arm
posix    |                     |cc                      |-DKYMO_LANES=4
riscv    |riscv64-unknown-elf  |riscv64-unknown-elf-gcc |-march=rv32imc_zicsr -mabi=ilp32
x86      |x86_64-freestanding  |x86_64-linux-gnu-gcc    |$x86
"

# Transports that need an operating system, another network stack or a vendor's library, and where the others are.
hosted='^(posix_|lwip_|stm32_hal|iree_posix)'
folders=(ports/transport ports/net ports/usb)

# list_of NAME: a list of ports/CMakeLists.txt.
list_of() { sed -n "/^set($1\$/,/CACHE/p" ports/CMakeLists.txt | sed '1d; $d' | tr -d ' '; }

cat >"$work/main.c" <<'TEXT'
#include "kymo/kymo.h"

static size_t nowhere(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    return length;
}

int main(void) {
    static const struct kymo_transport transport = {.write = nowhere};
    kymo_init(&transport, "walk");
    {
        KYMO_ZONE("step");
        KYMO_MESSAGE("at %d", 1);
    }
    return (int)kymo_drain(0u);
}
TEXT

# The whole archive, so that nothing in it may need a missing symbol. The C library only where there is one. The recorder as
# one source, in a third of the time: symbols.sh and the trees of two boards compile each for itself. Transports have names
# in common.
project() {
    cat <<TEXT
cmake_minimum_required(VERSION 3.20)
project(walk LANGUAGES C)
separate_arguments(options NATIVE_COMMAND "$options")
add_compile_options(\${options})
$1
kymo_add_runtime(walk_kymo ARCH $arch TRANSPORTS ${transports[*]})
get_target_property(drivers walk_kymo SOURCES)
list(FILTER drivers INCLUDE REGEX "/ports/(transport|net|usb)/")
set_source_files_properties(\${drivers} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
set_target_properties(walk_kymo PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
add_executable(walk $work/main.c)
target_link_libraries(walk PRIVATE -Wl,--whole-archive walk_kymo -Wl,--no-whole-archive ${rest[*]})
target_link_options(walk PRIVATE \${options})
kymo_warnings(walk)
TEXT
}

# by_cmake NAME LINE: a project that gets kymo by LINE.
by_cmake() {
    local tree=$work/$arch-$1 toolchain_option=()
    mkdir -p "$tree" && project "$2" >"$tree/CMakeLists.txt" || return 1
    [ -z "$toolchain" ] || toolchain_option=("-DCMAKE_TOOLCHAIN_FILE=$top/cmake/toolchain-$toolchain.cmake")
    cmake -G Ninja -S "$tree" -B "$tree/build" -DKYMO_WERROR=ON "-DCMAKE_PREFIX_PATH=$work/installed" \
        "${toolchain_option[@]}" && cmake --build "$tree/build"
}

by_hand() {
    local sources
    mapfile -t sources < <(find "ports/arch/$arch" ports/unwind -name '*.c')
    # shellcheck disable=SC2086
    $compiler -std=c11 $options -Iruntime/include "${folders[@]/#/-I}" "-Iports/arch/$arch" \
        "$work/main.c" runtime/src/*/*.c "${files[@]}" "${sources[@]}" "${rest[@]}" \
        -o "$work/by-hand"
}

# attempt NAME COMMAND ...
attempt() {
    "${@:2}" >"$work/log" 2>&1 && return
    echo "$arch, $1:"
    tail -n 30 "$work/log"
    status=1
}

cmake --install "$build" --prefix "$work/installed" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    exit 1
}
for arch in $(list_of KYMO_ARCHS); do
    IFS='|' read -r _ toolchain compiler options < <(grep "^$arch " <<<"$ways")
    read -r toolchain <<<"${toolchain:-}"
    read -r compiler <<<"${compiler:-}"
    [ -n "$compiler" ] || {
        echo "$arch: tests/package/ports.sh does not know which compiler is for this port: add a line"
        status=1
        continue
    }
    command -v "$compiler" >/dev/null || {
        echo "$compiler is missing; tests/run.sh installs it"
        exit 1
    }
    if [ -z "$toolchain" ]; then
        transports=(posix_fd) files=() rest=()
    else
        mapfile -t transports < <(list_of KYMO_TRANSPORTS | grep -vE "$hosted")
        mapfile -t files < <(find "${folders[@]}" -name '*.c' | grep -vE "/${hosted#^}")
        rest=(-nostdlib "-Wl,-e,main" -lgcc)
        options="-ffreestanding $options"
    fi
    attempt find_package by_cmake find_package "find_package(kymo REQUIRED)"
    case $arch in
    cortex-m | aarch64)
        attempt add_subdirectory by_cmake add_subdirectory "add_subdirectory($top kymo)"
        attempt "without CMake" by_hand
        ;;
    esac
    echo "$arch: done"
done
exit $status
