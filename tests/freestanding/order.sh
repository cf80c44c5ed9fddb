#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# With several lanes another core may drain: the core's own barrier orders the stores of a record, and the reads of the
# consumer too. With one lane there is no barrier. Looked up in the code of each function.
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
    local name=$1 lanes file function count
    dump=$2objdump
    command -v "$2gcc" >/dev/null || {
        echo "$2gcc is missing; tests/run.sh installs it"
        exit 1
    }
    for lanes in 1 2; do
        for file in ring/ring_masked:kymo_zone_begin ring/ring_masked:kymo_zone_end \
            'send/events:kymo_events_put|put_plain'; do
            function=${file#*:}
            "$2gcc" "${freestanding_flags[@]}" -O2 -DKYMO_LANES=$lanes "${@:3}" \
                -c "runtime/src/${file%:*}.c" -o "$work/object" || exit 1
            count=$(barriers "$function")
            if [ $((count > 0)) -ne $((lanes - 1)) ]; then
                echo "$name, $lanes lanes: $function has $count barriers"
                status=1
            fi
        done
    done
}

check rv64 riscv64-unknown-elf- -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -Iports/arch/riscv
check cortex-m33 arm-none-eabi- -mcpu=cortex-m33 -mthumb -Iports/arch/cortex-m -DKYMO_LANE_NUMBER=2 -DKYMO_CLOCK=2 \
    -DKYMO_CLOCK_ADDRESS=0x40054028 -DKYMO_CLOCK_HIGH_ADDRESS=0x40054024
check armv7-a arm-none-eabi- -mcpu=cortex-a7 -marm -Iports/arch/armv7-a
check aarch64 aarch64-linux-gnu- -mno-outline-atomics -fno-pic -fno-stack-protector -Iports/arch/aarch64
[ $status -ne 0 ] || echo "barriers are where another core may drain, and nowhere else"
exit $status
