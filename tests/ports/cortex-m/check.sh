#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unit.arch_cortexm: the Cortex-M arch port, run in QEMU on each core, with each clock. No emulated core has
# a cycle counter; that one is tested by unit.cortexm_clock_0 alone.
# Usage: check.sh BUILD
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/ports/common.sh
out=$1/arch_cortexm
mkdir -p "$out" || exit 1

need "gcc-arm-none-eabi and qemu-system-arm" arm-none-eabi-gcc qemu-system-arm

flags+=(-mthumb -mfloat-abi=soft -funwind-tables -Iports/arch/cortex-m -DCHECK_LANE=0u -DCHECK_ENTRY=start -DCHECK_COUNTERS=0u)

# run NAME MACHINE CPU CODE RAM DEFINITIONS: builds and runs one image.
run() {
    local name=$1 machine=$2 cpu=$3 code=$4 ram=$5
    shift 5
    arm-none-eabi-gcc "${flags[@]}" "-mcpu=$cpu" "-DSTACK_TOP=$((ram + 0x3000))" "${@/#/-D}" \
        "-Wl,--section-start=.vectors=$code" "-Wl,-Ttext=$(printf 0x%x $((code + 0x400)))" "-Wl,-Tdata=$ram" \
        -Wl,-e,start tests/ports/cortex-m/start.S tests/ports/cortex-m/machine.c "${contract[@]}" \
        ports/unwind/ehabi.c ports/arch/cortex-m/arch.c -lgcc -o "$out/$name.elf" || { failed=1; return; }
    # Time is the number of instructions, so that SysTick and the core keep step on any host.
    timeout 1800 qemu-system-arm -M "$machine" -icount shift=3,sleep=off -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -kernel "$out/$name.elf"
    judge "$name" $?
}

# each NAME MACHINE CPU CODE RAM HZ: SysTick as the port starts it, and one of 20 kHz that it shares.
each() {
    local name=$1 machine=$2 cpu=$3 code=$4 ram=$5 hz=$6
    run "$name" "$machine" "$cpu" "$code" "$ram" CHECK_CLOCK=KYMO_CORTEXM_SYSTICK CHECK_PERIOD=0 \
        "KYMO_CLOCK_HZ=$hz" "CHECK_HZ=${hz}u"
    run "$name-shared" "$machine" "$cpu" "$code" "$ram" CHECK_CLOCK=KYMO_CORTEXM_SYSTICK \
        "CHECK_PERIOD=$((hz / 20000))" CHECK_HZ=0u CHECK_PROLOGUE
}

each m0 microbit cortex-m0 0 0x20000000 16000000
each m3 mps2-an385 cortex-m3 0 0x20000000 25000000
each m4 netduinoplus2 cortex-m4 0x08000000 0x20000000 168000000
each m7 mps2-an500 cortex-m7 0 0x20000000 25000000
each m33 mps2-an505 cortex-m33 0x10000000 0x38000000 20000000
each m55 mps3-an547 cortex-m55 0x10000000 0x30000000 32000000

# With the floating-point unit on and in use, so that exceptions put its registers on the stack too (ARMv7-M ARM B3.2.20).
run m4-float netduinoplus2 cortex-m4 0x08000000 0x20000000 CHECK_CLOCK=KYMO_CORTEXM_SYSTICK CHECK_PERIOD=0 CHECK_HZ=0u \
    'CHECK_SETUP=put(0xe000ed88u, 0xf00000u); __asm__ volatile("dsb; isb; .fpu fpv4-sp-d16; vmov.f32 s0, #1.0")'

# Exceptions on another stack than what they preempt.
run m0-process-stack microbit cortex-m0 0 0x20000000 CHECK_CLOCK=KYMO_CORTEXM_SYSTICK CHECK_PERIOD=0 CHECK_HZ=0u \
    CHECK_PROCESS_STACK
run m33-process-stack mps2-an505 cortex-m33 0x10000000 0x38000000 CHECK_CLOCK=KYMO_CORTEXM_SYSTICK CHECK_PERIOD=0 \
    CHECK_HZ=0u CHECK_PROCESS_STACK

# Timers of the chip: nRF51's TIMER0, 32 bits wide and captured; the cycle counter of the MPS2's FPGA I/O.
run m0-timer microbit cortex-m0 0 0x20000000 CHECK_CLOCK=KYMO_CORTEXM_CHIP_TIMER CHECK_PERIOD=0 CHECK_HZ=0u \
    KYMO_CLOCK=4 KYMO_CLOCK_ADDRESS=0x40008540 \
    "CHECK_SETUP=put(0x40008508u, 3u); put(0x40008510u, 0u); put(0x40008000u, 1u)"
run m3-timer mps2-an385 cortex-m3 0 0x20000000 CHECK_CLOCK=KYMO_CORTEXM_CHIP_TIMER CHECK_PERIOD=0 CHECK_HZ=0u \
    KYMO_CLOCK=2 KYMO_CLOCK_ADDRESS=0x40028018
# A timer that was never started.
run m0-no-timer microbit cortex-m0 0 0x20000000 CHECK_CLOCK=KYMO_CORTEXM_NONE CHECK_PERIOD=0 CHECK_HZ=0u \
    KYMO_CLOCK=4 KYMO_CLOCK_ADDRESS=0x40008540 CHECK_ONLY_START
exit $failed
