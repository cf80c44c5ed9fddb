#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unit.arch_arm: the contract test on the ports aarch64 and armv7-a, run in QEMU at each of their levels.
# Usage: check.sh BUILD
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/ports/common.sh
out=$1/arch_arm
mkdir -p "$out" || exit 1

need "gcc-aarch64-linux-gnu, gcc-arm-none-eabi and qemu-system-arm" \
    aarch64-linux-gnu-gcc arm-none-eabi-gcc qemu-system-aarch64 qemu-system-arm

flags+=(-DCHECK_ENTRY=_start -T tests/ports/arm/link.ld)

# run NAME BITS CPU MACHINE LEVEL DEFINITIONS: builds and runs one image, with the emulator's options in "options".
options=()
run() {
    local name=$1 bits=$2 cpu=$3 machine=$4 level=$5 compiler emulator arch unwinder
    shift 5
    [[ "$*" == *CHECK_COUNTERS* ]] || set -- "$@" CHECK_COUNTERS=1u
    if [ "$bits" = 64 ]; then
        emulator=qemu-system-aarch64 arch=aarch64 unwinder=ports/unwind/frames.c
        compiler=(aarch64-linux-gnu-gcc -mcpu=cortex-a53 -mgeneral-regs-only -mstrict-align -mno-outline-atomics
            -fno-pic -no-pie -fno-stack-protector -fno-omit-frame-pointer "-DKYMO_PRIVILEGE=$level")
    else
        emulator=qemu-system-arm arch=armv7-a unwinder=ports/unwind/ehabi.c
        compiler=(arm-none-eabi-gcc -mcpu=cortex-a15 -marm -mfloat-abi=soft -mno-unaligned-access
            -funwind-tables "-DKYMO_PRIVILEGE=$level")
    fi
    [[ "$*" != *CHECK_SIGNED* ]] || compiler+=(-mbranch-protection=pac-ret+leaf)
    "${compiler[@]}" "${flags[@]}" "-Iports/arch/$arch" "-DCHECK_LEVEL=$level" "${@/#/-D}" "tests/ports/$arch/start.S" \
        tests/ports/arm/machine.c "${contract[@]}" "$unwinder" -o "$out/$name.elf" || { failed=1; return; }
    timeout 1800 $emulator "${options[@]}" -M "virt$machine" -cpu "$cpu" -smp 2 -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -kernel "$out/$name.elf"
    judge "$name" $?
}

# The rate is the one that the emulated core has, not one that is compiled in.
run el1 64 cortex-a53 "" 1 CHECK_CORE=0 KYMO_LANES=2 CHECK_HZ=62500000u CHECK_LANE=0u CHECK_WRITES_RATE
run el1-core1 64 cortex-a72,cntfrq=19200000 "" 1 CHECK_CORE=1 KYMO_LANES=1 KYMO_CHECK=1 KYMO_LANE_NUMBER=0 CHECK_HZ=19200000u CHECK_LANE=1u
run el1-given 64 cortex-a53 "" 1 CHECK_CORE=1 KYMO_LANES=1 KYMO_CLOCK_HZ=54000000u CHECK_HZ=54000000u CHECK_LANE=0u
run el1-own-lane 64 cortex-a53 "" 1 CHECK_CORE=0 KYMO_LANES=2 KYMO_LANE_NUMBER=1 CHECK_HZ=62500000u CHECK_LANE=1u
run el1-no-counters 64 cortex-a53,pmu=off "" 1 CHECK_CORE=0 KYMO_LANES=1 CHECK_HZ=62500000u CHECK_LANE=0u \
    CHECK_COUNTERS=0u
run el1-signed 64 max "" 1 CHECK_CORE=0 KYMO_LANES=1 CHECK_HZ=62500000u CHECK_LANE=0u CHECK_SIGNED
run el2 64 cortex-a57 ,virtualization=on 2 CHECK_CORE=0 KYMO_LANES=2 CHECK_HZ=62500000u CHECK_LANE=0u
run el3 64 cortex-a53 ,secure=on 3 CHECK_CORE=0 KYMO_LANES=2 CHECK_HZ=62500000u CHECK_LANE=0u CHECK_WRITES_RATE

run svc 32 cortex-a15 "" 1 CHECK_CORE=0 KYMO_LANES=2 CHECK_HZ=62500000u CHECK_LANE=0u CHECK_WRITES_RATE
run svc-core1 32 cortex-a7,cntfrq=24000000 "" 1 CHECK_CORE=1 KYMO_LANES=2 KYMO_FIRST_CORE=1 CHECK_HZ=24000000u CHECK_LANE=0u
run svc-given 32 cortex-a15 "" 1 CHECK_CORE=1 KYMO_LANES=1 KYMO_CLOCK_HZ=3000000001u CHECK_HZ=3000000001u CHECK_LANE=0u
run svc-own-lane 32 cortex-a15 "" 1 CHECK_CORE=0 KYMO_LANES=1 KYMO_CHECK=1 KYMO_LANE_NUMBER=1 CHECK_HZ=62500000u CHECK_LANE=1u
run hyp 32 cortex-a15 ,virtualization=on 2 CHECK_CORE=0 KYMO_LANES=2 CHECK_HZ=62500000u CHECK_LANE=0u
run svc-no-counters 32 cortex-a15,pmu=off "" 1 CHECK_CORE=0 KYMO_LANES=1 CHECK_HZ=62500000u CHECK_LANE=0u \
    CHECK_COUNTERS=0u
# The emulator counts instructions where its time is their number: INST_RETIRED. It counts no L1D_CACHE_REFILL.
options=(-icount "shift=1")
events=(CHECK_EVENT=8u CHECK_NO_EVENT=KYMO_EVENT_CACHE_MISSES)
run el1-instructions 64 cortex-a53 "" 1 CHECK_CORE=0 KYMO_LANES=1 CHECK_HZ=62500000u CHECK_LANE=0u CHECK_COUNTERS=3u \
    "${events[@]}"
run el2-instructions 64 cortex-a57 ,virtualization=on 2 CHECK_CORE=0 KYMO_LANES=1 CHECK_HZ=62500000u CHECK_LANE=0u \
    CHECK_COUNTERS=3u "${events[@]}"
# Its Cortex-A15 has no PMCEID0.
run svc-instructions 32 max "" 1 CHECK_CORE=0 KYMO_LANES=1 CHECK_HZ=62500000u CHECK_LANE=0u "${events[@]}"
run hyp-instructions 32 max ,virtualization=on 2 CHECK_CORE=0 KYMO_LANES=1 CHECK_HZ=62500000u CHECK_LANE=0u \
    "${events[@]}"
exit $failed
