#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A firmware that uses kymo keeps its own warnings: no macro and no function of kymo.h makes one, by any compiler that
# is installed, in any version of C from C11 and of C++ from C++11 on, at any level of optimisation, on or off, with
# names or without; nor by any cross compiler. Not the whole product: the oldest and the newest strict dialect meet every
# set of knobs; the other dialects and levels meet one each, in turn, so that each set is met by several. The oldest
# dialect is compiled at every level; the others are only parsed, as the optimiser sees no dialect.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
count=0
warnings=(-Wall -Wextra -Wpedantic -Werror -Wconversion -Wsign-conversion -Wshadow -Wundef -Wdouble-promotion -Wcast-qual
    -Wformat=2 -Wunused -Wfloat-equal -Wswitch-enum -Wpointer-arith)
warnings_c=(-Wstrict-prototypes -Wmissing-prototypes)
warnings_cxx=(-Wold-style-cast -Wzero-as-null-pointer-constant -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi
    -Wcast-align -Wmissing-declarations -Wredundant-decls -fno-exceptions -fno-rtti)

# versions NAME: it, which the other tests need, and each version beside it that is another one.
versions() {
    local name
    echo "$1"
    for name in $(compgen -c | grep -E "^${1//+/[+]}-[0-9]+\$" | sort -u); do
        [ "$(realpath "$(command -v "$name")")" = "$(realpath "$(command -v "$1")")" ] || echo "$name"
    done
}
compilers=$(versions gcc; versions clang)

# compiles SOURCE COMPILER OPTION ...
compiles() {
    local language=("${warnings_c[@]}")
    case $1 in *.cpp) language=("${warnings_cxx[@]}") ;; esac
    count=$((count + 1))
    "$2" "${warnings[@]}" "${language[@]}" -Iruntime/include "${@:3}" -c "tests/freestanding/$1" -o "$work/object" \
        >"$work/log" 2>&1 && return
    echo "$*:"
    grep -E 'warning|error' "$work/log" | head -n 10
    status=1
}

knobs_of=('-DKYMO_ENABLE=1' '-DKYMO_ENABLE=1 -DKYMO_NAMES=0 -DKYMO_TRACING_MODE=4' '-DKYMO_ENABLE=0')

# pairs SOURCE COMPILER FIRST_SET "FULL DIALECT ..." "OPTIONS" ...: the dialects with all sets of knobs; each of the
# options with one set, from the one of that number on.
pairs() {
    local source=$1 compiler=$2 turn=$3 dialect knobs options depth=-O2
    for dialect in $4; do
        for knobs in "${knobs_of[@]}"; do
            # shellcheck disable=SC2086
            compiles "$source" "$compiler" "-std=$dialect" $knobs $depth -Itests/fake
        done
        depth=-fsyntax-only
    done
    for options in "${@:5}"; do
        # shellcheck disable=SC2086
        compiles "$source" "$compiler" $options ${knobs_of[turn++ % 3]} -Itests/fake
    done
}

# Each compiler begins with another set.
turn=0
for compiler in $compilers; do
    pairs warnings.c "$compiler" $((turn++)) 'c11 c2x' '-std=c17 -fsyntax-only' '-std=gnu11 -fsyntax-only' \
        '-std=gnu17 -fsyntax-only' '-std=gnu2x -fsyntax-only' \
        '-std=c11 -O0' '-std=c11 -O1' '-std=c11 -O3' '-std=c11 -Os'
done
compilers_cxx=$(versions g++; versions clang++)
for compiler in $compilers_cxx; do
    pairs warnings.cpp "$compiler" $((turn++)) 'c++11 c++20' '-std=c++14 -fsyntax-only' '-std=c++17 -fsyntax-only' \
        '-std=gnu++11 -fsyntax-only' '-std=gnu++20 -fsyntax-only' '-std=c++11 -O0' '-std=c++20 -Os'
done

# Each core's compilers, without a C library.
cross_one() {
    local knobs turn=$cross_turn
    case $1 in gcc-rv64 | gcc-rv32 | clang-rv32 | gcc-cortex-m4 | clang-cortex-m4 | gcc-aarch64 | clang-aarch64 | gcc-armv7-a) ;; *) return 0 ;; esac
    shift
    freestanding_cxx "$@" || { status=1; return 1; }
    # One set of knobs in C, the two others in C++: all three by three cores.
    cross_turn=$((cross_turn + 1))
    # shellcheck disable=SC2086
    compiles warnings.c "$@" -std=c11 -ffreestanding ${knobs_of[turn % 3]} -Os -DWITHOUT_LIBRARY \
        -Wno-unused-command-line-argument
    for knobs in "${knobs_of[(turn + 1) % 3]}" "${knobs_of[(turn + 2) % 3]}"; do
        # shellcheck disable=SC2086
        compiles warnings.cpp "${freestanding_cxx_command[@]}" -std=c++17 -ffreestanding $knobs -Os -DWITHOUT_LIBRARY \
            -Wno-unused-command-line-argument
    done
}
cross_turn=0
freestanding_each cross_one || status=1
# shellcheck disable=SC2086
[ $status -ne 0 ] || echo "$count compilations without a warning:" $compilers $compilers_cxx
exit $status
