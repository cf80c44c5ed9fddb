#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# posix.CORE: the POSIX port on a core of Linux, by qemu-user where it is not this machine's: it links without
# libatomic, chooses the core's counter, and hostlink finds every event of its threads in what it sends.
# Usage: cross.sh HOSTLINK COUNTER COMPILER [EMULATOR]
set -u
hostlink=$(realpath "$1")
counter=$2
compiler=$3
emulator=${4:-}
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
for tool in "$compiler" $emulator; do
    command -v "$tool" >/dev/null || {
        echo "$tool is missing; tests/run.sh installs it"
        exit 1
    }
done

wrong() {
    echo "$1"
    status=1
}

# try NAME CLOCK [DEFINITION ...]: CLOCK is the name of the clock that the program must have chosen, or "any".
try() {
    local name=$1 clock=$2 events
    shift 2
    "$compiler" -std=c11 -O2 -Wall -Wextra -Werror -static -pthread -DKYMO_LANES=5 -DKYMO_RING_BYTES=524288 "$@" \
        -Iruntime/include -Iports/transport -Iports/arch/posix tests/posix/program.c runtime/src/*/*.c \
        ports/arch/posix/arch.c ports/unwind/frames.c ports/transport/posix_fd.c -o "$work/program" || {
        wrong "$name: does not build"
        return
    }
    timeout 1800 $emulator "$work/program" >"$work/wire" 2>"$work/said" || wrong "$name: the program failed"
    ! grep -q 'goes back' "$work/said" || wrong "$name: the clock goes back"
    [ "$clock" = any ] || grep -q "^clock $clock [1-9]" "$work/said" || wrong "$name: wrong clock: $(cat "$work/said")"
    events=$(sed -n 's/^events //p' "$work/said")
    "$hostlink" convert - -o "$work/zones.csv" <"$work/wire" >"$work/out" 2>&1 &&
        grep -qx "events: emitted $events delivered $events lost 0" "$work/out" ||
        wrong "$name: not all of $events events arrived: $(tail -n 3 "$work/out")"
    [ "$(grep -cE '^(round|inner),' "$work/zones.csv")" -ge 2 ] || wrong "$name: the zones are not in the table"
    echo "$name: $(head -n 1 "$work/said"), $events events"
}

# Only CPUID knows whether x86 has a counter that is sound.
case $counter in rdtsc) try default any ;; *) try default "$counter" ;; esac
try monotonic CLOCK_MONOTONIC -DKYMO_CLOCK=2
try counter "$counter" -DKYMO_CLOCK=1
try unoptimised any -O0
exit $status
