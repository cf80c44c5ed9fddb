#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The runtime, the ports and the 16550 driver need nothing but the compiler: they compile without a warning, the runtime
# as one source (symbols.sh compiles each of its sources), define no symbol without the prefix kymo_, and a whole image
# links with -nostdlib, without libgcc, and leaves nothing undefined. Every core with every knob and a key for commands at the
# smallest level, where compilers call most; one core of each compiler and family also without, with -O2.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# link_one LEVEL NAME COMPILER ...
link_one() {
    local level=$1 name=$2 objects=() source object undefined foreign
    shift 2
    while read -r source; do
        object=$work/$name-$(basename "$source").o
        "$@" "${freestanding_flags[@]}" -Wno-unused-command-line-argument "$level" \
            -c "$source" -o "$object" || return 1
        objects+=("$object")
    done < <(echo "$work/runtime.c"; find "ports/arch/$freestanding_port" ports/unwind -name '*.c'
        printf '%s\n' ports/transport/ns16550.c tests/freestanding/every.c tests/freestanding/start.c)
    runtime_objects=("${objects[@]:0:${#objects[@]}-2}") # without the last two sources
    foreign=$(nm -g --defined-only "${runtime_objects[@]}" | awk 'NF == 3 { print $3 }' | grep -vE "^($freestanding_expected)")
    if [ -n "$foreign" ]; then
        echo "$name: symbols without the prefix: $foreign"
        return 1
    fi
    # -r keeps unresolved symbols, where a whole link would stop at the first.
    "$@" -nostdlib -r "${objects[@]}" -o "$work/$name.part" -Wno-unused-command-line-argument || return 1
    undefined=$(nm -u "$work/$name.part" | grep -vE ' __((start|stop)_kymo_sites|exidx_(start|end))$')
    if [ -n "$undefined" ]; then
        echo "$name: undefined in a relocatable link of the whole runtime:"
        echo "$undefined"
        return 1
    fi
    "$@" -nostdlib -static "${objects[@]}" -o "$work/$name.elf" -Wno-unused-command-line-argument || return 1
    if [ -n "$(nm -u "$work/$name.elf")" ]; then
        echo "$name: undefined in the image: $(nm -u "$work/$name.elf")"
        return 1
    fi
    nm "$work/$name.elf" | grep -q ' kymo_zone_begin$' || {
        echo "$name: the image has no kymo_zone_begin: this test links nothing"
        return 1
    }
    echo "$name: nothing undefined"
}

# link_no_site NAME COMPILER ...: the runtime of link_one with a program that has no site, as one is at first.
link_no_site() {
    local name=$1 option relax=()
    shift
    # Where the sites end by chance where .sdata begins, GNU ld 2.40 reaches for them from gp before it moves .sdata away.
    case $name in gcc-rv*) relax=(-Wl,--no-relax) ;; esac
    for option in --no-gc-sections --gc-sections; do
        "$@" "${freestanding_flags[@]}" -Wno-unused-command-line-argument -Os -nostdlib -static "-Wl,$option" "${relax[@]}" \
            "${runtime_objects[@]}" tests/freestanding/no_site.c -o "$work/$name.elf" >"$work/log" 2>&1 || {
            cat "$work/log"
            echo "$name: an image without a site does not link with $option"
            return 1
        }
    done
}

link_both() {
    link_one "$(freestanding_smallest "$2")" "$1-knobs" "${@:2}" "${freestanding_knobs[@]}" || return 1
    freestanding_is_repeated "$1" || { link_one -O2 "$@" && link_no_site "$@"; }
}

freestanding_as_one "$work/runtime.c"
freestanding_each link_both
