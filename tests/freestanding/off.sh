#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# With KYMO_ENABLE 0 nothing of kymo is left in an object, at any level of optimisation: no symbol, no
# section, no string, no data. The runtime itself compiles to nothing. A core of each compiler and family at -O0, where nothing
# is optimised away, and at -Os; every level by both compilers of this machine and on one core of each.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# complain NAME TEXT
complain() {
    echo "$1: $2"
    return 1
}

# Symbols of every.c and every.cpp that are their own, and of C++'s empty prologue for Arm's tables; all else would be kymo's.
own='every_zone|every_event|every_function|every_life|own_[a-z]+|_ZZ10own_eventsENKUl.*|_ZZ10own_eventsENK3\$_[0-9]+clEv|handler|sink|__aeabi_unwind_cpp_pr[01]'

# nothing_left NAME COMMAND ...: of a source that is compiled by the command.
nothing_left() {
    local name=$1 level object found
    shift
    for level in $levels; do
        object=$work/$name$level.o
        "$@" -Wno-unused-command-line-argument -DKYMO_ENABLE=0 "$level" -o "$object" || return 1
        found=$(nm "$object" | grep -vE " (($own)|\.L.*|\\\$.*)$")
        [ -z "$found" ] || complain "$name $level" "symbols are left: $found" || return 1
        found=$(strings -a "$object" | grep -iE 'marker|kymo')
        [ -z "$found" ] || complain "$name $level" "strings are left: $found" || return 1
        found=$(size -A "$object" | awk '$1 ~ /^\.(s?rodata|s?data|kymo)/ && $2 > 0')
        [ -z "$found" ] || complain "$name $level" "data is left: $found" || return 1
    done
}

# bytes OBJECT FUNCTION
bytes() { echo $((16#$(nm -S "$1" | awk -v name="$2" '$4 == name { print $2 }'))); }

off_one() {
    local name=$1 level levels='-O0 -Os'
    ! freestanding_is_repeated "$1" || return 0
    case $1 in *-host | *-cortex-m4) levels='-O0 -O1 -O2 -Os' ;; esac
    shift
    nothing_left "$name" "$@" "${freestanding_flags[@]}" -c tests/freestanding/every.c || return 1
    freestanding_cxx "$@" || return 1
    nothing_left "$name-cxx" "${freestanding_cxx_command[@]}" "${freestanding_cxx_flags[@]}" \
        -c tests/freestanding/every.cpp || return 1
    # No instruction is left of the macros either.
    for level in -O0 -Os; do
        [ "$(bytes "$work/$name-cxx$level.o" own_zones)" -eq "$(bytes "$work/$name-cxx$level.o" own_nothing)" ] ||
            complain "$name-cxx $level" 'code is left' || return 1
    done
    "$@" "${freestanding_flags[@]}" -Wno-unused-command-line-argument -DKYMO_ENABLE=0 -Os \
        -c "$work/runtime.c" -o "$work/$name.o" || return 1
    found=$(nm "$work/$name.o" | grep -vE " (\.L.*|\\\$.*)$")
    [ -z "$found" ] || complain "$name" "the runtime leaves $found" || return 1
    echo "$name: nothing left"
}

# The same checks must find something when kymo is on, or they check nothing.
on=$work/on.o
gcc "${freestanding_flags[@]}" -O2 -c tests/freestanding/every.c -o "$on" || exit 1
strings -a "$on" | grep -q marker && nm "$on" | grep -q kymo_zone_begin || {
    echo "with KYMO_ENABLE 1 there is nothing either: this test checks nothing"
    exit 1
}
freestanding_as_one "$work/runtime.c"
g++ "${freestanding_cxx_flags[@]}" -O2 -c tests/freestanding/every.cpp -o "$on" || exit 1
[ "$(strings -a "$on" | grep -c marker)" -gt 20 ] && nm "$on" | grep -q kymo_zone_begin || {
    echo "with KYMO_ENABLE 1 there is nothing either in C++: this test checks nothing"
    exit 1
}
# Each function has a form that vanishes, except those that the firmware defines, and is used here.
for name in $(sed -nE 's/^[a-z].*[ *](kymo_[a-z_0-9]+)\(.*[;,]$/\1/p' runtime/include/kymo/kymo.h | grep -vE '^kymo_(command_nonce|param_changed|check_failed)$'); do
    grep -q "^#define $name(" runtime/include/kymo/kymo.h || complain "$name" 'kymo.h has no form of it that vanishes' || exit 1
    for file in tests/freestanding/every.c tests/freestanding/every.cpp; do
        cat "$file" tests/freestanding/every_life.h | grep -qE "\b$name\(" || complain "$name" "$file does not use it" || exit 1
    done
done
off_one gcc-host gcc -Itests/fake && off_one clang-host clang -Itests/fake && freestanding_each off_one
