#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# freestanding.arguments: a message takes eight arguments; more of them are one error, which says so.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# compiles COUNT COMPILER ...: a message with that many arguments.
compiles() {
    local format='' arguments=''
    for ((i = 0; i < $1; i++)); do
        format+='%d ' arguments+=", $i"
    done
    printf '#include "kymo/kymo.h"\nvoid f(void);\nvoid f(void) {\n    KYMO_MESSAGE("%s"%s);\n}\n' "$format" "$arguments" \
        >"$work/message.c"
    "${@:2}" -Wall -Wextra -Wpedantic -Iruntime/include -Itests/fake -c "$work/message.c" -o "$work/message.o" 2>"$work/log"
}
for compiler in 'gcc -std=c11' 'clang -std=c11' 'g++ -xc++ -std=c++11' 'clang++ -xc++ -std=c++20'; do
    # shellcheck disable=SC2086
    compiles 8 $compiler && [ ! -s "$work/log" ] || {
        echo "$compiler: eight arguments do not compile"
        cat "$work/log"
        exit 1
    }
    for count in 9 10 20; do
        # shellcheck disable=SC2086
        ! compiles $count $compiler || { echo "$compiler: $count arguments compile"; exit 1; }
        [ "$(grep -c 'error: ' "$work/log")" -eq 1 ] && grep -q 'at most eight arguments' "$work/log" || {
            echo "$compiler: $count arguments:"
            cat "$work/log"
            exit 1
        }
    done
done
echo "4 compilers: 8 arguments, and no more"
