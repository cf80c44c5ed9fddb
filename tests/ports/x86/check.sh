#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unit.arch_x86: the contract test on the x86 port, run in QEMU in 64 and 32 bit, on the first core and the
# second, with each source of the clock's rate that can be had there. Usage: check.sh BUILD
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/ports/common.sh
out=$1/arch_x86
mkdir -p "$out" || exit 1

need "gcc and qemu-system-x86" x86_64-linux-gnu-gcc qemu-system-x86_64

# shellcheck disable=SC2054
flags+=(-mno-red-zone -mgeneral-regs-only -fno-pic -no-pie -fno-stack-protector -fcf-protection=none
    -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -T boards/pc-x86_64/link.ld -Iports/arch/x86
    -Itests/ports/x86 -Iboards/common)
sources=(tests/ports/x86/{start.S,machine.c} boards/common/x86/{vectors.S,core.c})

# run NAME BITS MACHINE DEFINITIONS: builds and runs one image. Time is the number of instructions, so the
# counter runs at 1 GHz.
run() {
    local name=$1 bits=$2 machine=$3 second_core=()
    shift 3
    [[ "$*" != *CHECK_SECOND_CORE* ]] || second_core=(boards/common/x86/second_core.c)
    x86_64-linux-gnu-gcc "${flags[@]}" "-m$bits" -DCHECK_COUNTERS=0u -DKYMO_STACK_BYTES=4096 "${@/#/-D}" \
        "${sources[@]}" "${second_core[@]}" "${contract[@]}" ports/unwind/frames.c ports/arch/x86/arch.c \
        -o "$out/$name.elf" || { failed=1; return; }
    timeout 1800 qemu-system-x86_64 -M "$machine" -smp 2 -m 64 -icount shift=0 -nodefaults -vga none -display none \
        -monitor none -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel "$out/$name.elf"
    # 33 is "passed"; otherwise the status is 2 * (16 + number of the defect) + 1.
    judge "$name" $(($? / 2 - 16))
}

for bits in 64 32; do
    run "pit-$bits" $bits q35 KYMO_LANES=1 CHECK_RATE=KYMO_X86_RATE_PIT CHECK_HZ=999000000u \
        CHECK_HZ_MOST=1001000000u CHECK_LANE=0u
    run "given-apic-$bits" $bits q35 KYMO_LANES=2 KYMO_CLOCK_HZ=3000000001u CHECK_RATE=KYMO_X86_RATE_GIVEN \
        CHECK_HZ=3000000001u CHECK_LANE=0u
    run "second-core-$bits" $bits q35 KYMO_LANES=1 KYMO_CHECK=1 KYMO_LANE_NUMBER=0 KYMO_CLOCK_HZ=1000000000 CHECK_RATE=KYMO_X86_RATE_GIVEN \
        CHECK_SECOND_CORE CHECK_HZ=1000000000u CHECK_LANE=1u
    run "no-pit-second-core-$bits" $bits microvm KYMO_LANES=2 KYMO_LANE_NUMBER=1 CHECK_RATE=KYMO_X86_RATE_UNKNOWN \
        CHECK_SECOND_CORE CHECK_HZ=0u CHECK_LANE=1u
done
exit $failed
