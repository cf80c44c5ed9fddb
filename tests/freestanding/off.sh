#!/usr/bin/env bash
# With KYMO_ENABLE 0 nothing of kymo is left in an object, at any level of optimisation: no symbol, no
# section, no string, no data. The runtime itself compiles to nothing.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# complain NAME TEXT
complain() {
    echo "$1: $2"
    return 1
}

# Symbols of every.c that are its own; all else would be kymo's.
own='every_zone|every_event|every_function|every_life|handler|sink'

off_one() {
    local name=$1 level object found
    shift
    for level in -O0 -O1 -O2 -Os; do
        object=$work/$name$level.o
        "$@" "${freestanding_flags[@]}" -Wno-unused-command-line-argument -DKYMO_ENABLE=0 "$level" \
            -c tests/freestanding/every.c -o "$object" || return 1
        found=$(nm "$object" | grep -vE " (($own)|\.L.*|\\\$.*)$")
        [ -z "$found" ] || complain "$name $level" "symbols are left: $found" || return 1
        found=$(strings -a "$object" | grep -iE 'marker|kymo')
        [ -z "$found" ] || complain "$name $level" "strings are left: $found" || return 1
        found=$(size -A "$object" | awk '$1 ~ /^\.(s?rodata|s?data|kymo)/ && $2 > 0')
        [ -z "$found" ] || complain "$name $level" "data is left: $found" || return 1
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
# Each function has a form that vanishes, and is used here.
for name in $(sed -n '/^#if KYMO_ENABLE$/,/^#endif \/\* KYMO_ENABLE/p' runtime/include/kymo/kymo.h |
    sed -nE 's/^[a-z].*[ *](kymo_[a-z_0-9]+)\(.*;$/\1/p'); do
    grep -q "^#define $name(" runtime/include/kymo/off.h || complain "$name" 'runtime/include/kymo/off.h has no form of it' || exit 1
    grep -qE "\b$name\(" tests/freestanding/every.c || complain "$name" 'tests/freestanding/every.c does not use it' || exit 1
done
off_one gcc-host gcc -Itests/fake && off_one clang-host clang -Itests/fake && freestanding_each off_one
