#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.kernel: a kernel that plays what hooks of real kernels do, on one hart and two, judged by what it counted
# itself, which it writes over semihosting. Usage: board.sh TREE (of the board) HOST_BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
tree=$1 hostlink=$2/hostlink/hostlink out=$1/kernel/e2e
begin "$out" "$hostlink"

# run NAME IMAGE CORES SCENE DRAIN_MS [ARGUMENT ...]: a capture with the truth beside it.
run() {
    local name=$1 build=$tree/$2 at=0x87000000 choice
    export KYMO_RUN_OPTIONS="-chardev file,id=truth,path=$out/$name.truth"
    KYMO_RUN_OPTIONS+=" -semihosting-config enable=on,target=native,chardev=truth"
    # An instruction of a lone hart takes 8 ns. Two harts run at the same time, as fast as they can.
    [ "$3" -gt 1 ] || KYMO_RUN_OPTIONS+=" -icount shift=3,sleep=off"
    for choice in "$3" "$4" "$5"; do
        KYMO_RUN_OPTIONS+=" -device loader,addr=$at,data=$choice,data-len=4"
        at=$(printf '%#x' $((at + 4)))
    done
    kymo_capture "$build" 120 "$hostlink" @SOURCE@ --no-tracy -o "$out/$name.kymo" "${@:6}" \
        >"$out/$name.out" 2>"$out/$name.err"
    [ "$hostlink_status" -eq 0 ] || cat "$out/$name.err"
    [ "$board_status" -eq 0 ] || { echo "$name: the firmware ended with $board_status"; tail -n 5 "$build/emulator.log"; }
    [ "$hostlink_status$board_status" = 00 ] || exit 1
}

for cores in 1 2; do
    run traps_$cores kernel $cores 0 0 --no-commands
    run worst_$cores kernel $cores 2 0 --no-commands
    "$hostlink" "$out/worst_$cores.kymo" -q --no-tracy -o "$out/again.kymo" >"$out/worst_$cores.again" 2>&1 || exit 1
done
run late kernel 1 1 50
run small kernel_small 1 0 100 --no-commands
run slow kernel_slow 1 0 0 --no-commands
python3 -B tests/kernel/expected.py "$hostlink" "$out" traps_1 traps_2 worst_1 worst_2 late small slow
