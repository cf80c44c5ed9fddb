#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# size.stack: what kymo takes of a stack, at -Os, against the table in doc/costs.md. Usage: stack.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
columns=()

full=(-DKYMO_CALLSTACKS=16 -DKYMO_SAMPLE_HZ_MAX=1000 -DKYMO_LARGE=4 -DKYMO_DYNAMIC_SITES=8 -DKYMO_CLOCK_CHANGES=1)

measure() {
    local column source knobs folder
    case $1 in
    gcc-rv64) column=rv64 ;;
    gcc-rv32) column=rv32 ;;
    gcc-cortex-m4) column=Cortex-M4 ;;
    gcc-aarch64) column=AArch64 ;;
    gcc-x86-64) column=x86-64 ;;
    *) return 0 ;;
    esac
    shift
    for knobs in plain full; do
        folder=$work/$column/$knobs
        mkdir -p "$folder"
        for source in "$work/runtime.c" $(find "ports/arch/$freestanding_port" ports/unwind -name '*.c'); do
            "$@" "${freestanding_flags[@]}" $([ $knobs = plain ] || echo "${full[@]}") -Os -fcallgraph-info=su -c "$source" \
                -o "$folder/$(basename "$source").o" || return 1
        done
    done
    columns+=("$column=$work/$column")
}

freestanding_as_one "$work/runtime.c"
freestanding_each measure || exit 1
python3 -B tests/size/stack.py doc/costs.md "${columns[@]}"
