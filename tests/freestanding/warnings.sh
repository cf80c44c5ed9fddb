#!/usr/bin/env bash
# A firmware that uses kymo keeps its own warnings: no macro and no function of kymo.h makes one, by any compiler that
# is installed, in any version of C from C11 and of C++ from C++11 on, at any level of optimisation, on or off, with
# names or without; nor by any cross compiler.
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

for compiler in $compilers; do
    for dialect in c11 c17 c2x gnu11 gnu17 gnu2x; do
        for knobs in '-DKYMO_ENABLE=1' '-DKYMO_ENABLE=1 -DKYMO_NAMES=0' '-DKYMO_ENABLE=0'; do
            # shellcheck disable=SC2086
            compiles warnings.c "$compiler" "-std=$dialect" $knobs -O2 -Itests/fake
        done
    done
    for level in -O0 -O1 -O3 -Os; do
        for knobs in '-DKYMO_ENABLE=1' '-DKYMO_ENABLE=0'; do compiles warnings.c "$compiler" -std=c11 "$knobs" $level -Itests/fake; done
    done
done

knobs_of=('-DKYMO_ENABLE=1' '-DKYMO_ENABLE=1 -DKYMO_NAMES=0' '-DKYMO_ENABLE=0')
compilers_cxx=$(versions g++; versions clang++)
for compiler in $compilers_cxx; do
    for dialect in c++11 c++14 c++17 c++20 gnu++11 gnu++20; do
        for knobs in "${knobs_of[@]}"; do
            # shellcheck disable=SC2086
            compiles warnings.cpp "$compiler" "-std=$dialect" $knobs -O2 -Itests/fake
        done
    done
    for knobs in "${knobs_of[@]}"; do
        # shellcheck disable=SC2086
        compiles warnings.cpp "$compiler" -std=c++11 $knobs -O0 -Itests/fake
    done
done

# Each core's compilers, without a C library.
cross_one() {
    local knobs
    case $1 in gcc-rv64 | gcc-rv32 | clang-rv32 | gcc-cortex-m4 | clang-cortex-m4 | gcc-aarch64 | clang-aarch64 | gcc-armv7-a) ;; *) return 0 ;; esac
    shift
    freestanding_cxx "$@" || { status=1; return 1; }
    for knobs in "${knobs_of[@]}"; do
        # shellcheck disable=SC2086
        compiles warnings.c "$@" -std=c11 -ffreestanding $knobs -Os -DWITHOUT_LIBRARY -Wno-unused-command-line-argument
        # shellcheck disable=SC2086
        compiles warnings.cpp "${freestanding_cxx_command[@]}" -std=c++17 -ffreestanding $knobs -Os -DWITHOUT_LIBRARY \
            -Wno-unused-command-line-argument
    done
}
freestanding_each cross_one || status=1
# shellcheck disable=SC2086
[ $status -ne 0 ] || echo "$count compilations without a warning:" $compilers $compilers_cxx
exit $status
