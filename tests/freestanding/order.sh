#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where another core drains, the core's own barrier orders the stores of a record, and the reads of the
# consumer too; where the same core does, there is no barrier. Looked up in the code of each function, with one lane.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0

# barriers FUNCTION[|FUNCTION]: the number of barriers in it and in the clones that the compiler made of it.
barriers() {
    "$dump" -d --no-show-raw-insn "$work/object" | awk -v name="^<($1)[.>]" '
        /^[0-9a-f]+ <[^.]/ { inside = $2 ~ name }
        inside && /[ \t](dmb|fence)([ \t]|$)/ { count++ }
        END { print count + 0 }'
}

# check NAME PREFIX FLAG ...
check() {
    local name=$1 knob file function count
    dump=$2objdump
    command -v "$2gcc" >/dev/null || {
        echo "$2gcc is missing; tests/run.sh installs it"
        exit 1
    }
    for knob in 0 1; do
        for file in ring/ring_masked:kymo_zone_begin ring/ring_masked:kymo_zone_end \
            'send/events:kymo_events_step|put_plain'; do
            function=${file#*:}
            "$2gcc" "${freestanding_flags[@]}" -O2 -DKYMO_LANES=1 -DKYMO_DRAIN_ANY_CORE=$knob "${@:3}" \
                -c "runtime/src/${file%:*}.c" -o "$work/object" || exit 1
            count=$(barriers "$function")
            if [ $((count > 0)) -ne $knob ]; then
                echo "$name, KYMO_DRAIN_ANY_CORE=$knob: $function has $count barriers"
                status=1
            fi
        done
    done
}

check rv64 riscv64-unknown-elf- -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -Iports/arch/riscv
check cortex-m33 arm-none-eabi- -mcpu=cortex-m33 -mthumb -Iports/arch/cortex-m
check armv7-a arm-none-eabi- -mcpu=cortex-a7 -marm -Iports/arch/armv7-a
check aarch64 aarch64-linux-gnu- -mno-outline-atomics -fno-pic -fno-stack-protector -Iports/arch/aarch64
[ $status -ne 0 ] || echo "barriers are where another core drains, and nowhere else"
exit $status
