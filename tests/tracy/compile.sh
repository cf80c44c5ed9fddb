#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The programs of Tracy's markup keep a user's own warnings, by gcc and clang, in any version of C from C11 and of C++ from
# C++11 on, on and off; with what Tracy's users configure; for each version of its C API; and for cores without a C
# library. Off, nothing is left of them. The include paths of Tracy's releases are there.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
count=0
warnings=(-Wall -Wextra -Wpedantic -Werror -Wconversion -Wsign-conversion -Wshadow -Wundef -Wcast-qual -Wunused
    -Wpointer-arith -Wno-unused-command-line-argument -Iruntime/include -Itests/fake)
warnings_c=(-Wstrict-prototypes -Wmissing-prototypes)
warnings_cxx=(-Wold-style-cast -Wzero-as-null-pointer-constant -fno-exceptions -fno-rtti)
on='-DTRACY_ENABLE -DKYMO_TRACY=1 -DKYMO_DYNAMIC_SITES=64'

# compiles SOURCE COMPILER OPTION ...: into $work/object
compiles() {
    local language=("${warnings_c[@]}")
    case $1 in *.cpp) language=("${warnings_cxx[@]}") ;; esac
    count=$((count + 1))
    "$2" "${warnings[@]}" "${language[@]}" "${@:3}" -c "tests/tracy/$1" -o "$work/object" >"$work/log" 2>&1 && return
    echo "$*:"
    grep -E 'warning|error' "$work/log" | head -n 5
    status=1
    return 1
}

# Off, a program's own variables are unused, as with Tracy. Off, in both ways: nothing of kymo, no data, and no text but that of the functions.
is_gone() {
    nm "$work/object" | grep -E ' [Uu] |kymo' | grep -vE ' (U|u) (markup|_GLOBAL_OFFSET_TABLE_)' && {
        echo "$*: something is left"
        status=1
    }
}

sets=("$on" "$on -DKYMO_NAMES=0" "$on -DKYMO_CALLSTACKS=16 -DTRACY_CALLSTACK=8 -DTRACY_FIBERS -DTRACY_MANUAL_LIFETIME"
    '-Wno-unused -Wno-unused-parameter' '-Wno-unused -Wno-unused-parameter -DTRACY_ENABLE -DKYMO_ENABLE=0')
for knobs in "${sets[@]}"; do
    for compiler in gcc clang; do
        for level in -O0 -O2; do
            # shellcheck disable=SC2086
            compiles markup.c $compiler -std=c11 $level $knobs
            case $knobs in *KYMO_TRACY=1*) ;; *) is_gone markup.c $compiler $knobs ;; esac
        done
        # The optimiser sees no dialect.
        for dialect in c17 c2x gnu11; do
            # shellcheck disable=SC2086
            compiles markup.c $compiler -std=$dialect -fsyntax-only $knobs
        done
    done
    for compiler in g++ clang++; do
        for level in -O0 -O2; do
            # shellcheck disable=SC2086
            compiles markup.cpp $compiler -std=c++11 $level $knobs
        done
        for dialect in c++14 c++17 c++20 gnu++17; do
            # shellcheck disable=SC2086
            compiles markup.cpp $compiler -std=$dialect -fsyntax-only $knobs
        done
    done
done
for compiler in gcc clang; do
    # shellcheck disable=SC2086
    compiles plain.c $compiler -std=c11 $on
done
# Options without a meaning here say so, and break nothing.
for word in TRACY_NO_EXIT TRACY_NO_VERIFY TRACY_DELAYED_INIT; do
    for compiler in gcc clang; do
        # shellcheck disable=SC2086
        compiles plain.c $compiler -std=c11 $on -D$word && grep -q "$word has no meaning here" "$work/log" || {
            echo "$word: $compiler says nothing"
            status=1
        }
    done
done
# shellcheck disable=SC2086
gcc $on -DTRACY_ON_DEMAND -Iruntime/include -Itests/fake -fsyntax-only tests/tracy/plain.c >"$work/log" 2>&1 && {
    echo "TRACY_ON_DEMAND without KYMO_ON_DEMAND compiles"
    status=1
}
# shellcheck disable=SC2086
compiles plain.c gcc -std=c11 $on -DTRACY_ON_DEMAND -DKYMO_ON_DEMAND=1
for path in tracy/Tracy.hpp tracy/TracyC.h Tracy.hpp TracyC.h client/TracyScoped.hpp client/TracyProfiler.hpp \
    client/TracyLock.hpp common/TracySystem.hpp common/TracyColor.hpp common/TracyApi.h tracy/client/TracyScoped.hpp \
    tracy/common/TracySystem.hpp; do
    for knobs in '' "$on"; do
        # shellcheck disable=SC2086
        compiles paths.cpp g++ -std=c++11 $knobs -Iruntime/include/tracy "-DKYMO_PATH=\"$path\""
    done
done

# Each core's compilers, without a C library.
cross_one() {
    case $1 in gcc-rv64 | gcc-rv32 | clang-rv64 | gcc-cortex-m4 | clang-cortex-m4 | gcc-aarch64) ;; *) return 0 ;; esac
    shift
    freestanding_cxx "$@" || { status=1; return 1; }
    # shellcheck disable=SC2086
    compiles markup.c "$@" -std=c11 -ffreestanding -Os $on
    # shellcheck disable=SC2086
    compiles markup.cpp "${freestanding_cxx_command[@]}" -std=c++17 -ffreestanding -Os $on
}
freestanding_each cross_one || status=1
[ $status -ne 0 ] || echo "$count compilations without a warning"
exit $status
