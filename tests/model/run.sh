#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks a ring's algorithm with spin: tests/model/run.sh MODEL BUILD, with one of the models beside this script.
# First each search for errors, which must find none, then each deliberate fault, which must be found.
set -euo pipefail
model=$1
work=$2/model/$model
here=$(cd "$(dirname "$0")" && pwd)

command -v spin >/dev/null || {
    echo "model.$model: spin is missing; install the package spin, or run tests/run.sh, which does it" >&2
    exit 1
}

# Memory of a search in MB. A search that needs more fails: its bounds are too large.
memory=1500

operations() { echo "-DOPERATIONS_0=$1 -DOPERATIONS_1=$2 -DOPERATIONS_2=$3"; }

fail() {
    echo "model.$model: $*" >&2
    exit 1
}

# build "COMPILER AND OPTIONS" DEFINES ...: pan in $work. clang -O0 takes half the time of gcc -O0, and gcc -Og half of -O1,
# which searches no faster: a search of more than 100 000 states makes up for it. States are stored as they are: spin's
# compression halves their memory and takes as long as the search.
build() {
    local how=$1
    shift
    rm -rf "$work"
    mkdir -p "$work"
    cp "$here"/*.pml "$work"
    cd "$work"
    spin -a "$@" "$model.pml" >spin.log 2>&1 || fail "spin $*: $(cat spin.log)"
    # shellcheck disable=SC2086
    $how -w -DSAFETY -DMEMLIM=$memory -o pan pan.c
}

states() { sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log; }

# judge WORD DEFINES ...: of a search without an error
judge() {
    local word=$1
    shift
    grep -q 'errors: 0' pan.log || {
        ./pan -r -n 2>&1 | head -n 5
        fail "error found with $*: replay it in $work with 'spin -t -p -g $* $model.pml'"
    }
    ! grep -Eq 'max search depth too small|out of memory|reached -DMEMLIM' pan.log || fail "$*: $(grep -E 'depth|memory' pan.log)"
    echo "$word: $(states) states, no error: $*"
}

exhaustive() {
    build 'gcc -Og' "$@"
    ./pan -m20000 -w22 >pan.log 2>&1 || true
    judge exhaustive "$@"
}

# With one hash bit for each state, of 2^26: a search of more operations that passes over some of the states.
partial() {
    build 'gcc -Og -DBITSTATE' "$@"
    ./pan -m20000 -w26 >pan.log 2>&1 || true
    judge 'partial (bitstate)' "$@"
}

# broken WHAT DEFINES ...
broken() {
    local what=$1
    shift
    build 'clang -O0' "$@"
    ./pan -m20000 -w22 >pan.log 2>&1 || true
    grep -Eq 'errors: [1-9]' pan.log || fail "not found: $what ($*)"
    echo "found after $(states) states: $what"
}

bounds=$(grep -hoE '^#define (CELLS|BLOCKS|BLOCK_CELLS|LONG_CELLS|TRIES) .*' "$here/$model.pml" | cut -d' ' -f2,3 | tr '\n' ',')
echo "model.$model: ${bounds//,/, }OPERATIONS_n: of main code and of two levels that preempt it"

# shellcheck disable=SC2046
case $model in
masked)
    exhaustive $(operations 2 2 1)
    exhaustive -DINTERRUPT $(operations 1 1 1)
    exhaustive -DINTERRUPT -DDOUBLE_ENDS -DENDS_ELSEWHERE=1 $(operations 1 1 1)
    exhaustive -DATTENTIONS=1 -DNARROW_CLOCK $(operations 2 1 1)
    exhaustive -DSTOP $(operations 1 1 1)
    broken 'no cell stays free' -DBREAK=1 $(operations 2 2 1)
    broken 'a record is committed before it is filled' -DBREAK=2 $(operations 2 2 1)
    broken 'the end of a zone is not promised' -DBREAK=3 $(operations 2 2 1)
    broken 'an interrupt between two steps of the slow path finds the end of the run before' -DBREAK=4 $(operations 2 2 1)
    broken 'the look at "stopped" comes before the store that opens the fast path' -DSTOP -DBREAK=5 $(operations 2 1 1)
    ;;
atomic)
    exhaustive $(operations 1 1 0)
    exhaustive -DLAZY $(operations 1 1 1)
    exhaustive -DLAZY -DIN_USE $(operations 1 1 1)
    exhaustive -DLAZY -DIN_USE -DDOUBLE_ENDS -DCALLS_0=6 -DCALLS_1=9 -DCALLS_2=9 $(operations 1 2 1)
    exhaustive -DLAZY -DIN_USE -DENDS_ELSEWHERE=1 -DCALLS_0=5 -DCALLS_1=6 -DCALLS_2=2 $(operations 1 1 1)
    exhaustive -DFREE -DIN_USE $(operations 1 1 0)
    exhaustive -DLAZY -DIN_USE -DSWITCHES -DCALLS_0=17 -DCALLS_1=16 $(operations 4 2 0)
    late="-DLAZY -DIN_USE -DLEAVES -DCALLS_0=76 -DCALLS_1=12"
    # shellcheck disable=SC2086
    exhaustive $late -DENDS_ELSEWHERE=1 $(operations 3 1 0)
    # shellcheck disable=SC2086
    broken 'an end without a promise looks at the orphans once' $late -DENDS_ELSEWHERE=2 -DBREAK=8 $(operations 3 2 0)
    # shellcheck disable=SC2086
    broken 'a promise is given back before it is an orphan' $late -DENDS_ELSEWHERE=1 -DBREAK=9 $(operations 3 1 0)
    broken 'an exchange of tail_seen in place of the comparison' -DLAZY -DIN_USE -DBREAK=1 $(operations 1 2 1)
    broken 'a record is published before it is filled' -DLAZY -DIN_USE -DBREAK=2 $(operations 1 2 1)
    broken 'the end of a zone is not promised' -DLAZY -DIN_USE -DBREAK=3 $(operations 1 2 1)
    broken 'the fast path is opened behind the look at the losses' -DLAZY -DIN_USE -DBREAK=4 $(operations 1 2 1)
    broken 'a promise is made before its room is found' -DLAZY -DIN_USE -DDOUBLE_ENDS -DBREAK=5 -DCALLS_0=4 -DCALLS_1=9 -DCALLS_2=9 $(operations 1 2 1)
    broken 'room is given back before it is zero' -DLAZY -DIN_USE -DBREAK=6 $(operations 1 2 1)
    broken 'a nested switch that is refused is never stated' -DLAZY -DIN_USE -DSWITCHES -DBREAK=7 -DCALLS_0=17 -DCALLS_1=16 $(operations 4 1 0)
    ;;
newest)
    exhaustive -DOPERATIONS=6
    broken 'it is not looked whether the block was given up' -DBREAK=1
    broken 'the check of the head is not looked at' -DBREAK=2
    broken 'the number of the block is published behind its contents' -DBREAK=3
    broken 'the first word of a record is written first' -DBREAK=4
    ;;
newest_atomic)
    exhaustive $(operations 1 1 1)
    exhaustive -DATTENTIONS=1 $(operations 2 1 0)
    partial $(operations 2 2 1)
    broken 'it is not looked whether the block was given up' -DBREAK=1 $(operations 2 2 1)
    broken 'the pin is not looked at' -DBREAK=3 $(operations 2 2 1)
    broken 'the first word of a record is written first' -DBREAK=4 $(operations 2 2 1)
    ;;
*)
    fail "no such model"
    ;;
esac
