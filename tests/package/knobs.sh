#!/usr/bin/env bash
# package.knobs: a misspelt knob stops the configuration, with the one that is meant; each knob that there is passes.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT

# configure DEFINITION ...
configure() {
    cat >"$work/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES C)
add_subdirectory($top kymo)
kymo_add_runtime(kymo_here ARCH riscv TRANSPORTS ns16550 DEFINITIONS $*)
TEXT
    cmake -G Ninja -S "$work" -B "$work/build" >"$work/out" 2>&1
}
# suggests TYPED MEANT
suggests() {
    ! configure "$1=1" || { echo "$1 was accepted"; exit 1; }
    tr -s ' \n' ' ' <"$work/out" | grep -qF "no knob is called $1: do you mean $2?" || {
        echo "$1: not '$2' but:"
        tail -n 12 "$work/out"
        exit 1
    }
}
suggests KYMO_RING_BYTE KYMO_RING_BYTES
suggests KYMO_CLOCKHZ KYMO_CLOCK_HZ
mapfile -t knobs < <(sed -nE 's/^#ifndef (KYMO_[A-Z_]+)$/\1=1/p' runtime/include/kymo/{config,constants}.h \
    ports/arch/riscv/kymo_arch.h | grep -v '_H=1$')
[ ${#knobs[@]} -ge 20 ] || { echo "only ${#knobs[@]} knobs"; exit 1; }
configure "${knobs[*]}" MY_OWN=3 || { tail -n 12 "$work/out"; exit 1; }
echo "${#knobs[@]} knobs pass, 2 misspelt ones do not"
