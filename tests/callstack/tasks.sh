#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.callstack_tasks: the program of known call stacks in tasks on the board, shown by a Tracy viewer, Perfetto and
# folded stacks. Usage: tasks.sh FOLDER (of its image) HOST_BUILD NM ARCH
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
build=$1 hostlink=$2/hostlink/hostlink viewer=$2/tests/unit/tracy_viewer nm=$3 out=$1/e2e
begin "$out" "$hostlink" "$viewer"
# In QEMU an instruction takes 8 ns, all alike.
! grep -q qemu-system "$build/run" || export KYMO_RUN_OPTIONS="-icount shift=3,sleep=off"
# On a busy machine QEMU's serial port stalls while the program runs on: a run that lost events is repeated.
for trial in 1 2 3; do
    rm -f "$out"/trace.*
    kymo_capture "$build" 300 "$hostlink" @SOURCE@ -q --no-commands --elf "$build/firmware.elf" -o "$out/trace.kymo" \
        -o "$out/trace.events.csv" -o "$out/trace.pftrace" -o "$out/trace.folded" -o "$out/trace.samples.folded" \
        >"$out/capture.out" 2>"$out/capture.err"
    tail -n 2 "$out/capture.out"
    ! grep -qE '^events: .* lost 0$' "$out/capture.out" || break
done
ended_well "$build" "$out"
"$nm" --demangle "$build/firmware.elf" >"$out/symbols" || exit 1
port=$(kymo_free_port)
"$hostlink" serve "$out/trace.kymo" -q --timeout 900 --tracy $port &
server=$!
"$viewer" $port 82 stacks >"$out/viewed" 2>"$out/viewer.err" || { cat "$out/viewer.err"; exit 1; }
wait $server || { echo "hostlink serve ended with $?"; exit 1; }
python3 -B tests/callstack/tasks.py "$out" "$4"
