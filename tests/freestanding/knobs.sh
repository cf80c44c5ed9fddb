#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A knob out of its range is a compile-time error that states the range; both ends of the range compile.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
freestanding_as_one "$work/runtime.c"

riscv='riscv64-unknown-elf-gcc -march=rv64imc_zicsr -mabi=lp64 -mcmodel=medany -Iports/arch/riscv'
x86='x86_64-linux-gnu-gcc -Iports/arch/x86'
cortexm='arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Iports/arch/cortex-m'
aarch64='aarch64-linux-gnu-gcc -Iports/arch/aarch64'
armv7a='arm-none-eabi-gcc -mcpu=cortex-a7 -marm -Iports/arch/armv7-a'
posix='gcc -Iports/arch/posix -DKYMO_LANES=2'
fake='gcc -Itests/fake'

# compile COMMAND DEFINITION ...: all of the runtime, and what reads the stack, as far as a knob can be wrong: no code.
compile() {
    local command source
    read -ra command <<<"$1"
    command -v "${command[0]}" >/dev/null || {
        echo "${command[0]} is missing; tests/run.sh installs it"
        exit 1
    }
    while read -r source; do
        "${command[@]}" "${freestanding_flags[@]}" "${@:2}" -fsyntax-only "$source" 2>>"$work/log" || return 1
    done < <(printf '%s\n' "$work/runtime.c" ports/unwind/frames.c)
}

# refuses SENTENCE COMMAND DEFINITION ...: as a rule a header does, which each source includes.
refuses() {
    local command
    read -ra command <<<"$2"
    "${command[@]}" "${freestanding_flags[@]}" "${@:3}" -E -x c runtime/include/kymo/config.h >/dev/null 2>"$work/log" ||
        ! grep -qF -- "error: #error \"$1" "$work/log" || return
    : >"$work/log"
    if compile "$2" "${@:3}"; then
        echo "${*:3}: compiles, should say: $1"
        status=1
    elif ! grep -qF -- "$1" "$work/log"; then
        echo "${*:3}: does not say: $1"
        head -n 5 "$work/log"
        status=1
    fi
}

# takes COMMAND DEFINITION ...
takes() {
    : >"$work/log"
    compile "$@" && return
    echo "${*:2}: does not compile"
    head -n 5 "$work/log"
    status=1
}

# knob NAME SENTENCE GOOD,GOOD BAD,BAD [DEFINITION ...]: with values.
knob() {
    local value
    for value in ${3//,/ }; do takes "$fake" "-D$1=$value" "${@:5}"; done
    for value in ${4//,/ }; do refuses "$2" "$fake" "-D$1=$value" "${@:5}"; done
}

knob KYMO_ENABLE "KYMO_ENABLE must be 0 or 1" 0,1 2,-1
knob KYMO_LANES "KYMO_LANES must be 1 to 64" 1,8,16,64 0,65,-1
takes "$fake" -DKYMO_LANES=16 -DKYMO_FAKE_ATOMIC=1
knob KYMO_RING_BYTES "KYMO_RING_BYTES must be 256 to 67108864" 256,67108864 128,134217728,0
knob KYMO_RING_BYTES "KYMO_RING_BYTES must be a power of two" 4096 4095,1000
knob KYMO_PACKET_BYTES "KYMO_PACKET_BYTES must be 192 to 4096" 192,256,1024,4096 191,4097
refuses "KYMO_PACKET_BYTES is too small for KYMO_PAYLOAD_WORDS" "$fake" -DKYMO_PACKET_BYTES=192 -DKYMO_PAYLOAD_WORDS=60
knob KYMO_WIRE_SLOTS "KYMO_WIRE_SLOTS must be 8, 16, 32 or 62" 8,62 4,24,64
knob KYMO_PAYLOAD_WORDS "KYMO_PAYLOAD_WORDS must be 4 to 60" 4,60 3,61
knob KYMO_LATENCY_MS "KYMO_LATENCY_MS must be 0 to 3600000" 0,3600000 -1,3600001
knob KYMO_CHECK "KYMO_CHECK must be 0 to 255" 0,1,255 256,-1 -DKYMO_LANES=64
knob KYMO_COMMANDS "KYMO_COMMANDS must be 0 or 1" 0,1 2
knob KYMO_NAMES "KYMO_NAMES must be 0 or 1" 0,1 2
knob KYMO_DYNAMIC_SITES "KYMO_DYNAMIC_SITES must be 0 to 4096" 0,1,4096 -1,4097 -DKYMO_LANES=2
knob KYMO_FUNCTIONS "KYMO_FUNCTIONS must be 0 to 255" 0,1,255 -1,256
takes "$fake" -DKYMO_FUNCTIONS=4 -DKYMO_TASKS=8
knob KYMO_TASKS "KYMO_TASKS must be 0 to 1024" 0,1,1024 -1,1025
knob KYMO_TASK_LIMITS "KYMO_TASK_LIMITS must be 0 to 32" 0,1,32 -1,33 -DKYMO_TASKS=8
knob KYMO_TASK_LIMITS "KYMO_TASK_LIMITS needs KYMO_TASKS" 0 1
knob KYMO_LARGE "KYMO_LARGE must be 0 to 16" 0,1,16 -1,17
knob KYMO_DEVICES "KYMO_DEVICES must be 0 or 1" 0,1 2,-1
knob KYMO_CORE_CLOCKS "KYMO_CORE_CLOCKS must be 0 or 1" 0 2,-1
refuses "KYMO_CORE_CLOCKS needs an arch port with counters of the cores and an interrupt mask" "$fake" -DKYMO_CORE_CLOCKS=1 -DKYMO_FAKE_ATOMIC=1
knob KYMO_CLOCK_CHANGES "KYMO_CLOCK_CHANGES must be 0 or 1" 0,1 2,-1
knob KYMO_TRACING_MODE "KYMO_TRACING_MODE must be 1 to 4" 1,2,3,4 0,5
knob KYMO_CALLSTACKS "KYMO_CALLSTACKS must be 0 to 62" 0,1,62 -1,63 -DKYMO_FAKE_UNWIND=1
knob KYMO_CALLSTACKS "KYMO_TRACING_MODE 3 and 4 record call stacks" 1,62 0 -DKYMO_TRACING_MODE=3 -DKYMO_FAKE_UNWIND=1
knob KYMO_SAMPLE_HZ_MAX "KYMO_SAMPLE_HZ_MAX must be 0 to 1000000000" 0,1,1000000000 -1,1000000001 -DKYMO_CALLSTACKS=1
refuses "KYMO_SAMPLE_HZ_MAX needs KYMO_CALLSTACKS" "$fake" -DKYMO_SAMPLE_HZ_MAX=1000
refuses "KYMO_RING_BYTES is too small for KYMO_CALLSTACKS" "$fake" -DKYMO_CALLSTACKS=62 -DKYMO_FAKE_UNWIND=1 -DKYMO_RING_BYTES=1024
rv32i="riscv64-unknown-elf-gcc -march=rv32imc_zicsr -mabi=ilp32 -Iports/arch/riscv -DKYMO_LANES=2"
refuses "KYMO_DYNAMIC_SITES with more than one lane needs atomic words" "$rv32i" -DKYMO_DYNAMIC_SITES=4
refuses "KYMO_LARGE with more than one lane needs atomic words" "$rv32i" -DKYMO_LARGE=4
takes "$fake" "-DKYMO_COMMAND_KEY=$(echo 0x{10..25} | tr ' ' ,)"
refuses "KYMO_COMMAND_KEY must be 16 bytes, separated by commas" "$fake" -DKYMO_COMMAND_KEY=1,2,3
refuses "KYMO_COMMAND_KEY is for commands, which KYMO_COMMANDS 0 leaves out" "$fake" -DKYMO_COMMAND_KEY=1 -DKYMO_COMMANDS=0
knob KYMO_KEEP_NEWEST "KYMO_KEEP_NEWEST must be 0 or 1" 0,1 2,-1
refuses "KYMO_RING_BYTES is too small for the blocks of KYMO_KEEP_NEWEST and KYMO_PAYLOAD_WORDS" "$fake" -DKYMO_KEEP_NEWEST=1 -DKYMO_RING_BYTES=512
refuses "KYMO_KEEP_NEWEST needs an interrupt mask" "$fake" -DKYMO_KEEP_NEWEST=1 -DKYMO_FAKE_ATOMIC=1 -DKYMO_FAKE_NESTS=0
takes "$fake" -DKYMO_KEEP_NEWEST=1 -DKYMO_FAKE_ATOMIC=1
refuses "KYMO_RING_BYTES is too large for KYMO_KEEP_NEWEST" "$fake" -DKYMO_KEEP_NEWEST=1 -DKYMO_FAKE_ATOMIC=1 \
    -DKYMO_RING_BYTES=16777216
knob KYMO_TRACY_IMAGE "KYMO_TRACY_IMAGE must be 0 to 268435456" 0,4,268435456 -1,268435457 -DKYMO_TRACY=1 -DKYMO_LARGE=1
knob KYMO_IREE_SOURCES "KYMO_IREE_SOURCES must be 0 to 268435456" 0,8,268435456 -1,268435457 -DKYMO_TRACY=1 -DKYMO_LARGE=1 -DKYMO_DYNAMIC_SITES=8
knob KYMO_DRAIN_INSTRUCTIONS "KYMO_DRAIN_INSTRUCTIONS must be 2000 to 2147483647" 2000,2147483647 1999,-1,2147483648
knob KYMO_STACK_BYTES "KYMO_STACK_BYTES must be 64 to 16777216" 64,16777216 63,16777217

takes "$riscv" -DKYMO_CLOCK=2 -DKYMO_CLOCK_ADDRESS=0x200bff8
refuses "KYMO_CLOCK 2 needs KYMO_CLOCK_ADDRESS" "$riscv" -DKYMO_CLOCK=2
refuses "KYMO_CLOCK must be 0 (time), 1 (cycle) or 2 (mtime in memory)" "$riscv" -DKYMO_CLOCK=3
refuses "KYMO_PRIVILEGE must be 3 (machine), 1 (supervisor) or 0 (user)" "$riscv" -DKYMO_PRIVILEGE=2
refuses "user mode needs the A extension" "$riscv" -DKYMO_PRIVILEGE=0
refuses "KYMO_FIRST_CORE must be 0 to 65535" "$riscv" -DKYMO_FIRST_CORE=-1
refuses "KYMO_CLOCK_HZ is a rate in Hz" "$riscv" -DKYMO_CLOCK_HZ=-1

takes "$x86" -DKYMO_LANE_NUMBER=1 -DKYMO_LANES=2
refuses "KYMO_LANE_NUMBER must be 0 (APIC number) or 1 (your kymo_own_lane())" "$x86" -DKYMO_LANE_NUMBER=2
takes "$x86" -DKYMO_CLOCK=1
refuses "KYMO_CLOCK must be 0 (calibrated against the interval timer)" "$x86" -DKYMO_CLOCK=2
refuses "KYMO_CLOCK_HZ is a rate in Hz" "$x86" -DKYMO_CLOCK_HZ=-1

takes "$posix" -DKYMO_FULL_WAIT_MS=1
takes "$posix" -DKYMO_FULL_WAIT_MS=10000
refuses "KYMO_FULL_WAIT_MS must be 0 (a full ring refuses at once) to 10000" "$posix" -DKYMO_FULL_WAIT_MS=10001

refuses "KYMO_CLOCK must be 0 (cycle counter or SysTick)" "$cortexm" -DKYMO_CLOCK=5
refuses "KYMO_CLOCK 2 and 4 need KYMO_CLOCK_ADDRESS" "$cortexm" -DKYMO_CLOCK=4
refuses "cores share no cycle counter and no SysTick" "$cortexm" -DKYMO_LANES=2
timer='-DKYMO_CLOCK=2 -DKYMO_CLOCK_ADDRESS=0x40054028 -DKYMO_CLOCK_HIGH_ADDRESS=0x40054024'
takes "$cortexm" -DKYMO_CHECK=4 -DKYMO_LANE_NUMBER=2
takes "$cortexm $timer" -DKYMO_LANES=2 -DKYMO_LANE_NUMBER=1
refuses "more than one lane needs KYMO_LANE_NUMBER" "$cortexm $timer" -DKYMO_LANES=2
refuses "more than one lane needs KYMO_LANE_NUMBER" "$cortexm $timer" -DKYMO_LANES=2 -DKYMO_LANE_NUMBER=0
refuses "KYMO_CLOCK_HZ is a rate in Hz" "$cortexm" -DKYMO_CLOCK_HZ=-1

takes "$aarch64" -DKYMO_PRIVILEGE=3 -DKYMO_LANE_NUMBER=1 -DKYMO_LANES=2
takes "$aarch64" -DKYMO_LANE_NUMBER=2 -DKYMO_LANES=2
refuses "KYMO_PRIVILEGE must be 1, 2 or 3" "$aarch64" -DKYMO_PRIVILEGE=0
refuses "KYMO_LANE_NUMBER must be 0 or 2 (MPIDR_EL1, affinity level 0 or 1) or 1 (your kymo_own_lane())" "$aarch64" -DKYMO_LANE_NUMBER=3
refuses "KYMO_CLOCK_HZ is a rate in Hz" "$aarch64" -DKYMO_CLOCK_HZ=-1

takes "$armv7a" -DKYMO_PRIVILEGE=2 -DKYMO_LANE_NUMBER=1 -DKYMO_LANES=2
refuses "KYMO_PRIVILEGE must be 1 or 2" "$armv7a" -DKYMO_PRIVILEGE=0
refuses "KYMO_LANE_NUMBER must be 0 (MPIDR) or 1 (your kymo_own_lane())" "$armv7a" -DKYMO_LANE_NUMBER=2
refuses "KYMO_CLOCK_HZ is a rate in Hz" "$armv7a" -DKYMO_CLOCK_HZ=-1
# The arch port of another core, and another byte order.
for port in riscv aarch64 x86; do
    refuses "ports/arch/$port is for" "${cortexm/%cortex-m/$port}" -DKYMO_LANES=1
done
for port in cortex-m armv7-a; do refuses "ports/arch/$port is for" "${riscv/%riscv/$port}" -DKYMO_LANES=1; done
refuses "ports/arch/cortex-m is for Cortex-M: compile with its -mcpu" "arm-none-eabi-gcc -Iports/arch/cortex-m"
refuses "kymo is written for little-endian cores" "$cortexm -mbig-endian"
refuses "ports/arch/armv7-a is for A-profile cores" "${cortexm%cortex-m}armv7-a" -DKYMO_LANES=1

# The reference has each knob, and they stay few.
python3 tests/freestanding/knobs.py || status=1

# Counters by zone where the core has none that may be read.
printf '#include "kymo/zone_counters.h"\nvoid count(void);\nvoid count(void) { KYMO_ZONE_COUNTERS("zone"); }\n' >"$work/counters.c"
for command in "$fake" "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -Iports/arch/cortex-m"; do
    read -ra words <<<"$command"
    if "${words[@]}" "${freestanding_flags[@]}" -fsyntax-only "$work/counters.c" 2>"$work/log" ||
        ! grep -qF "KYMO_ZONE_COUNTERS: this arch port knows no counter that may be read here" "$work/log"; then
        echo "$command: KYMO_ZONE_COUNTERS does not say that there are no counters"
        status=1
    fi
done
for command in "$riscv" "$riscv -DKYMO_PRIVILEGE=1" "$x86" "$cortexm" "$fake -DKYMO_ENABLE=0"; do
    read -ra words <<<"$command"
    "${words[@]}" "${freestanding_flags[@]}" -fsyntax-only "$work/counters.c" || status=1
done

# Events by zone: where nobody can choose them, and where the architecture has no number for one.
printf '#include "kymo/zone_counters.h"\nvoid count(void);\nvoid count(void) { KYMO_ZONE_EVENTS("zone"); }\n' >"$work/zone.c"
printf '#include "kymo/zone_counters.h"\nvoid count(void);\nvoid count(void) {\n    %s\n}\n' \
    'KYMO_COUNT_EVENT("misses", KYMO_EVENT_CACHE_MISSES); KYMO_ZONE_EVENTS("zone");' >"$work/events.c"
# says SENTENCE COMMAND FILE
says() {
    local words
    read -ra words <<<"$2"
    if "${words[@]}" "${freestanding_flags[@]}" -fsyntax-only "$3" 2>"$work/log" || ! grep -qF "$1" "$work/log"; then
        echo "$2, ${3##*/}: does not say: $1"
        status=1
    fi
}
for command in "$cortexm" "$fake" "$x86" "$riscv -DKYMO_PRIVILEGE=1"; do
    says "this arch port cannot choose what the core counts" "$command" "$work/zone.c"
done
says "this architecture has no number for the event" "$riscv" "$work/events.c"
for command in "$aarch64" "$armv7a" "$fake -DKYMO_ENABLE=0"; do
    read -ra words <<<"$command"
    "${words[@]}" "${freestanding_flags[@]}" -fsyntax-only "$work/events.c" || status=1
done
read -ra words <<<"${aarch64/-gcc/-g++}"
"${words[@]}" -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -Iruntime/include -fsyntax-only "$work/events.c" || status=1

# No arch port, and one that lacks half of the contract.
refuses "kymo_arch.h: No such file or directory" gcc
mkdir "$work/empty" && echo '#define KYMO_ARCH_ATOMIC 0' >"$work/empty/kymo_arch.h"
refuses "the chosen kymo_arch.h has no clock" "gcc -I$work/empty"
[ $status -ne 0 ] || echo "every knob says what is wrong"
exit $status
