#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the source files of the runtime, of an arch port and of transports, a line each, relative to kymo's folder: for
# builds that are not CMake's, whose lists these are. Usage: runtime/sources.sh ARCH [TRANSPORT ...]
set -eu
cd "$(dirname "$0")/.."
die() {
    echo "runtime/sources.sh: $1" >&2
    exit 2
}

# listed FILE NAME: the .c files of a list that CMake knows.
listed() {
    awk -v head="set($2" '
        index($0, head) == 1 && substr($0, length(head) + 1, 1) !~ /[A-Za-z0-9_]/ { on = 1 }
        on { print }
        on && /CACHE/ { exit }' "$1" | tr ' ()' '\n' | grep '\.c$' || true
}

[ $# -ge 1 ] || die "needs an arch port: one of $(cd ports/arch && echo *)"
[ -f "ports/arch/$1/kymo_arch.h" ] || die "no arch port '$1': there are $(cd ports/arch && echo *)"
sources=$(listed runtime/CMakeLists.txt KYMO_RUNTIME_SOURCES | sed 's|^|runtime/|')
for file in $(listed ports/CMakeLists.txt KYMO_ARCH_SOURCES); do
    [ ! -f "ports/arch/$1/$file" ] || sources="$sources ports/arch/$1/$file"
done
sources="$sources $(listed ports/CMakeLists.txt KYMO_UNWIND_SOURCES | sed 's|^|ports/|')"
shift
for transport; do
    files=$(listed ports/CMakeLists.txt "KYMO_TRANSPORT_$transport")
    if [ -n "$files" ]; then
        sources="$sources $(echo "$files" | sed 's|^|ports/|')"
    elif [ -f "ports/transport/$transport.c" ]; then
        sources="$sources ports/transport/$transport.c"
    else
        die "no transport '$transport': there are $({
            (cd ports && ls transport/*.c) | sed 's|.*/||; s|\.c$||'
            sed -nE 's/^set\(KYMO_TRANSPORT_([a-z0-9_]+).*/\1/p' ports/CMakeLists.txt
        } | sort -u | tr '\n' ' ')"
    fi
done
# Transports may have files in common.
# shellcheck disable=SC2086 # a list of names
printf '%s\n' $sources | awk '!seen[$0]++'
