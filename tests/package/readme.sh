#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The README's code compiles as it stands, used by add_subdirectory and by find_package from an installed
# copy, for RISC-V, with all warnings. Usage: readme.sh BUILD (of the preset host)
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
build=$1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# block LANGUAGE: the code blocks of that language in the README.
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" README.md | grep -v '^```'; }

block c >"$work/main.c"
grep -q KYMO_ "$work/main.c" || { echo "README.md has no C block"; exit 1; }
block cmake | grep -vE '^add_subdirectory' >"$work/use.cmake"
grep -q kymo_add_runtime "$work/use.cmake" || { echo "README.md has no CMake block"; exit 1; }

# try NAME LINE: a project that gets kymo by LINE.
try() {
    mkdir -p "$work/$1" || return 1
    cat >"$work/$1/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES C)
add_compile_options(-march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -ffreestanding)
$2
add_executable(my_firmware $work/main.c)
include($work/use.cmake)
kymo_warnings(my_firmware)
target_link_options(my_firmware PRIVATE -nostdlib -Wl,-e,main)
TEXT
    {
        cmake -G Ninja -S "$work/$1" -B "$work/$1/build" -DKYMO_WERROR=ON -DCMAKE_PREFIX_PATH="$work/installed" \
            -DCMAKE_TOOLCHAIN_FILE="$top/cmake/toolchain-riscv64-unknown-elf.cmake" &&
            cmake --build "$work/$1/build"
    } >"$work/log" 2>&1 || {
        echo "$1:"
        tail -n 40 "$work/log"
        return 1
    }
    echo "$1: built"
}

cmake --install "$build" --prefix "$work/installed" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    exit 1
}
# The unchanged example is C++20, too.
riscv64-unknown-elf-g++ -x c++ -std=c++20 -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -ffreestanding -Wall -Wextra \
    -Wpedantic -Wconversion -Wno-missing-field-initializers -Werror -Iruntime/include -Iports/transport \
    -Iports/arch/riscv -DKYMO_CLOCK=1 -c "$work/main.c" -o "$work/main.o" || exit 1
try add_subdirectory "add_subdirectory($top \${CMAKE_BINARY_DIR}/kymo)" &&
    try find_package "find_package(kymo REQUIRED)" &&
    "$work/installed/bin/hostlink" --help >/dev/null
