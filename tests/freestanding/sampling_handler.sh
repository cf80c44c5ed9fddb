#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# KYMO_CORTEXM_SAMPLING_HANDLER leaves the compiler's section as it was: code after it is code, also where all
# functions of a file share one section, and with the line table of -g, which spans it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# compile FLAGS COMPILER ...
compile() {
    local flags
    read -ra flags <<<"$1"
    "${@:2}" "${freestanding_flags[@]}" "${flags[@]}" -Wno-unused-command-line-argument -DKYMO_CALLSTACKS=8 \
        -DKYMO_SAMPLE_HZ_MAX=1000 -O2 -c tests/freestanding/sampling_handler.c -o "$work/handler.o"
}

handler_one() {
    local name=$1 flags function
    [[ $name == *cortex-m* ]] || return 0
    for flags in '-fno-function-sections -g0' '-fno-function-sections -g' '-ffunction-sections -g'; do
        compile "$flags" "${@:2}" || { echo "$name $flags: does not compile"; return 1; }
        for function in TIM2_IRQHandler take_sample behind; do
            arm-none-eabi-nm "$work/handler.o" | grep -q " T $function\$" || {
                echo "$name $flags: $function is not in a section of code"
                return 1
            }
        done
    done
    echo "$name: the handler and the functions behind it are code"
}

freestanding_each handler_one
