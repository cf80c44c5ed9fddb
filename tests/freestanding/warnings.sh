#!/usr/bin/env bash
# A firmware that uses kymo keeps its own warnings: no macro and no function of kymo.h makes one, by any compiler that
# is installed, in any version of C from C11 on, at any level of optimisation, on or off, with names or without.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
count=0
warnings=(-Wall -Wextra -Wpedantic -Werror -Wconversion -Wsign-conversion -Wshadow -Wundef -Wdouble-promotion -Wcast-qual
    -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wunused -Wfloat-equal -Wswitch-enum -Wpointer-arith)

# The plain names, which the other tests need, and each version beside them.
compilers=$({ echo gcc; echo clang
    compgen -c | grep -E '^(gcc|clang)-[0-9]+$'; } | sort -u)

# compiles COMPILER OPTION ...
compiles() {
    count=$((count + 1))
    "$1" "${warnings[@]}" -Iruntime/include -Itests/fake "${@:2}" -c tests/freestanding/warnings.c -o "$work/object" \
        >"$work/log" 2>&1 && return
    echo "$*:"
    grep -E 'warning|error' "$work/log" | head -n 10
    status=1
}

for compiler in $compilers; do
    for dialect in c11 c17 c2x gnu11 gnu17 gnu2x; do
        for knobs in '-DKYMO_ENABLE=1' '-DKYMO_ENABLE=1 -DKYMO_NAMES=0' '-DKYMO_ENABLE=0'; do
            # shellcheck disable=SC2086
            compiles "$compiler" "-std=$dialect" $knobs -O2
        done
    done
    for level in -O0 -O1 -O3 -Os; do
        for knobs in '-DKYMO_ENABLE=1' '-DKYMO_ENABLE=0'; do compiles "$compiler" -std=c11 "$knobs" $level; done
    done
done
# shellcheck disable=SC2086
[ $status -ne 0 ] || echo "$count compilations without a warning:" $compilers
exit $status
