#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ports/vendor/kymo_tflm.h against a model of TensorFlow Lite Micro: compiles for a board without exceptions, RTTI and
# "delete", leaves nothing with KYMO_ENABLE 0, and hostlink shows each operator. Usage: tflm.sh HOSTLINK
set -u
hostlink=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
wrong() {
    echo "$*"
    status=1
}
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wno-non-virtual-dtor -Werror)
headers=(-I tests/package/tflm -I ports/vendor -I runtime/include -I ports/transport)
# The program sends each round's events before the next.
knobs=(-D KYMO_LANES=2 -D KYMO_DYNAMIC_SITES=16 -D KYMO_LATENCY_MS=0)

arm=(-mcpu=cortex-m4 -mthumb -ffreestanding -Os -fno-exceptions -fno-rtti -I ports/arch/cortex-m)
for dialect in 11 17 20; do
    arm-none-eabi-g++ -std=c++$dialect "${arm[@]}" "${warnings[@]}" "${headers[@]}" -D KYMO_DYNAMIC_SITES=16 \
        -c tests/package/tflm/program.cpp -o "$work/board.o" || wrong "for a Cortex-M as C++$dialect"
done
arm-none-eabi-nm -u "$work/board.o" | grep -E '_Znw|_Zdl|strlen' && wrong "needs a library"
arm-none-eabi-g++ -std=c++11 "${arm[@]}" "${warnings[@]}" "${headers[@]}" -D KYMO_ENABLE=0 \
    -c tests/package/tflm/program.cpp -o "$work/off.o" || wrong "with KYMO_ENABLE 0"
arm-none-eabi-nm "$work/off.o" | grep -E '[UBDd] kymo_(zone|site|plot)' && wrong "KYMO_ENABLE 0 leaves calls of kymo"

runtime/amalgamate.sh posix posix_fd "${knobs[@]}" -o "$work" || exit 1
for compilers in gcc:g++ clang:clang++; do
    # The recorder itself is under sanitizers in the tree of that name.
    { ${compilers%:*} -std=gnu11 -O0 -c "$work/kymo.c" -o "$work/kymo.o" &&
        ${compilers#*:} -std=c++11 -fsanitize=address,undefined "${warnings[@]}" "${headers[@]}" -I ports/arch/posix "${knobs[@]}" \
            tests/package/tflm/program.cpp "$work/kymo.o" -pthread -o "$work/program"; } ||
        { wrong "${compilers#*:}: does not build" && continue; }
    "$work/program" >"$work/t.kymo" || wrong "${compilers#*:}: wrong"
    "$hostlink" convert "$work/t.kymo" -o "$work/t.csv" -o "$work/t.events.csv" >"$work/out" 2>&1
    tail -n 1 "$work/out" | grep -qE ' lost 0$' || wrong "$(tail -n 3 "$work/out")"
    cut -d, -f1,6 "$work/t.csv" | tail -n +2 | sort >"$work/counts"
    printf '%s\n' ,1 ADD,100 CONV_2D,200 SOFTMAX,100 WHILE,100 after,1 deep,16 deepest,1 inference,100 'wrong uses,1' | sort |
        diff - "$work/counts" || wrong "${compilers#*:}: other zones"
    [ "$(grep -c ',plot,tensor arena,85024,' "$work/t.events.csv")" = 1 ] || wrong "${compilers#*:}: no plot of the arena"
done
exit $status
