#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A stack of ports/ and its drivers compile without a warning by gcc for a core of each family and by clang for one of 32 bits,
# and need nothing. (symbols.sh has clang for one of 64 bits.)
# The code of its README.md compiles, too.
# Usage: stack.sh FOLDER SYMBOL (one that it defines)
set -u
folder=$1
symbol=$2
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

link_stack() {
    local name=$1 objects=() source object undefined
    case $1 in gcc-rv64 | gcc-cortex-m4 | gcc-armv7-a | gcc-aarch64 | gcc-x86-64 | clang-cortex-m4) ;; *) return 0 ;; esac
    shift
    for source in "$folder"/*.c; do
        object=$work/$name-$(basename "$source").o
        "$@" "${freestanding_flags[@]}" -Wno-unused-command-line-argument -Os -c "$source" -o "$object" || return 1
        objects+=("$object")
    done
    "$@" -nostdlib -r "${objects[@]}" -o "$work/$name.part" -Wno-unused-command-line-argument || return 1
    nm "$work/$name.part" | grep -q " $symbol\$" || {
        echo "$name: there is no $symbol: this test links nothing"
        return 1
    }
    undefined=$(nm -u "$work/$name.part")
    if [ -n "$undefined" ]; then
        echo "$name: undefined in a relocatable link of $folder:"
        echo "$undefined"
        return 1
    fi
    echo "$name: nothing undefined"
}

readme() {
    sed -n '/^```c$/,/^```$/p' "$folder/README.md" | grep -v '^```' >"$work/readme.c"
    grep -q "$symbol" "$work/readme.c" || {
        echo "$folder/README.md has no code"
        return 1
    }
    arm-none-eabi-gcc -std=c11 -ffreestanding -mcpu=cortex-m4 -mthumb -Wall -Wextra -Werror -Wno-unused-function \
        -Iruntime/include -I"$folder" -Iports/transport -Iports/arch/cortex-m -c "$work/readme.c" -o "$work/readme.o"
}

freestanding_each link_stack && readme
