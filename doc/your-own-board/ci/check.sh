#!/bin/sh
# SPDX-License-Identifier: MIT
# The job of CI, run in the folder of the firmware: builds hostlink and the firmware, runs it in QEMU, where a nanosecond
# is an instruction, and checks its trace against ci/budget.txt. What it finds is in results/. Its exit status is 7 if a
# limit is exceeded.
#   KYMO      a checkout of kymo (default: kymo, a submodule for example)
#   HOSTLINK  hostlink, where it is built already
set -eu
kymo=${KYMO:-kymo}
hostlink=${HOSTLINK:-build/hostlink/hostlink/hostlink}
mkdir -p results

if [ -z "${HOSTLINK:-}" ]; then
    cmake -S "$kymo" -B build/hostlink -G Ninja -DCMAKE_BUILD_TYPE=Release
    cmake --build build/hostlink --target hostlink
fi
# The clock is the cycle counter, which counts instructions in QEMU.
make KYMO="$kymo" BOARD=riscv KNOBS_riscv="-DKYMO_CLOCK=1 -DKYMO_CLOCK_HZ=1000000000"

# A file takes each byte at once, so the trace is the same in every run. The firmware ends the emulation.
timeout 60 qemu-system-riscv32 -M virt -bios none -icount shift=0,sleep=off -display none -monitor none \
    -serial file:results/trace.bin -kernel build/firmware.elf
"$hostlink" results/trace.bin -q --no-tracy -o results/run.kymo -o results/run.pftrace

exec "$hostlink" check results/run.kymo --budget ci/budget.txt --junit results/junit.xml --sarif results/budget.sarif \
    --bencher results/bencher.json --github-benchmark results/benchmark.json ${GITHUB_ACTIONS:+--github}
