#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unit.arch_riscv: the RISC-V arch port, run in QEMU in each mode, with each clock, at both widths.
# Usage: check.sh BUILD
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/ports/common.sh
out=$1/arch_riscv
mkdir -p "$out" || exit 1

need "gcc-riscv64-unknown-elf and qemu-system-misc" \
    riscv64-unknown-elf-gcc qemu-system-riscv64 qemu-system-riscv32

flags+=(-DCHECK_ENTRY=_start -mcmodel=medany -fno-omit-frame-pointer -Iports/arch/riscv)

# run NAME BITS ISA_EXTENSIONS ADDRESS QEMU_OPTIONS DEFINITIONS: builds and runs one image.
run() {
    local name=$1 bits=$2 extensions=$3 address=$4 options=$5 abi=lp64
    shift 5
    [ "$bits" = 64 ] || abi=ilp32
    riscv64-unknown-elf-gcc "${flags[@]}" "-march=rv$bits$extensions" "-mabi=$abi" "${@/#/-D}" \
        -Wl,-N "-Wl,-Ttext=$address" \
        tests/ports/riscv/start.S tests/ports/riscv/machine.c "${contract[@]}" ports/unwind/frames.c \
        -o "$out/$name.elf" || { failed=1; return; }
    # shellcheck disable=SC2086
    timeout 1800 "qemu-system-riscv$bits" -M virt -smp 2 $options -display none -monitor none -serial none \
        -kernel "$out/$name.elf"
    judge "$name" $?
}

machine=(KYMO_PRIVILEGE=3 KYMO_LANES=2 CHECK_COUNTERS=3u)
for bits in 32 64; do
    # Without the A extension, as the port promises.
    run "rv$bits-time" $bits imc_zicsr 0x80000000 "-bios none" "${machine[@]}" \
        CHECK_EVENT=2u CHECK_NO_EVENT=0u KYMO_CLOCK_HZ=10000000 CHECK_HZ=10000000u CHECK_HART=0 CHECK_LANE=0u
    run "rv$bits-cycle" $bits imc_zicsr 0x80000000 "-bios none" "${machine[@]}" KYMO_CLOCK=1 \
        CHECK_HZ=0u CHECK_HART=1 CHECK_LANE=1u
    run "rv$bits-mtime" $bits imc_zicsr 0x80000000 "-bios none" "${machine[@]}" KYMO_CLOCK=2 \
        KYMO_CLOCK_ADDRESS=0x0200bff8 CHECK_HZ=0u KYMO_FIRST_CORE=1 CHECK_HART=1 CHECK_LANE=0u
    run "rv$bits-one-lane" $bits imc_zicsr 0x80000000 "-bios none" KYMO_PRIVILEGE=3 CHECK_COUNTERS=3u \
        CHECK_HZ=0u CHECK_HART=1 CHECK_LANE=0u
    run "rv$bits-no-fpu" $bits imc_zicsr 0x80000000 "-bios none -cpu rv$bits,f=false,d=false" "${machine[@]}" \
        CHECK_HZ=0u CHECK_HART=0 CHECK_LANE=0u
    run "rv$bits-user" $bits imac_zicsr 0x80000000 "-bios none" KYMO_PRIVILEGE=0 KYMO_LANES=2 \
        CHECK_COUNTERS=3u CHECK_HZ=0u CHECK_HART=0 CHECK_LANE=1u
    run "rv$bits-supervisor" $bits imc_zicsr 0x80000000 "-bios none" KYMO_PRIVILEGE=1 KYMO_LANES=1 KYMO_CHECK=1 KYMO_LANE_NUMBER=0 CHECK_NO_SBI \
        CHECK_COUNTERS=3u CHECK_HZ=0u CHECK_HART=1 CHECK_LANE=1u
done
# On the OpenSBI that comes with QEMU (Debian ships the 64-bit one only); it starts the image here.
run rv64-supervisor-opensbi 64 imc_zicsr 0x80200000 "" KYMO_PRIVILEGE=1 KYMO_LANES=2 \
    CHECK_COUNTERS=3u CHECK_HZ=0u CHECK_HART=0 CHECK_LANE=1u
exit $failed
