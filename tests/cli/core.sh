#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A core file of a process has the events that the process then sends. Usage: core.sh HOSTLINK PROCESS ROUND: PROCESS
# is the program of process.c, ROUND one that its rings still hold at the end.
. "$(dirname "$0")/helpers.sh"
process=$board
command -v gdb-multiarch >/dev/null || fail "gdb-multiarch is missing; tests/run.sh installs it"

gdb-multiarch -nx -batch -ex 'set disable-randomization off' -ex 'break process_stands' -ex 'run >sent' \
    -ex 'generate-core-file core' -ex continue "$process" >out 2>err </dev/null
[ -s core ] && [ -s sent ] || fail "gdb saved no core file, or the process sent nothing"

"$hostlink" stats sent >sent.out 2>err || fail "hostlink reads not what the process sent"
run 0 "$hostlink" dump --elf "$process" core -o core.csv -o core.json
[ "$(tail -n 1 out)" = "$(tail -n 1 sent.out)" ] || fail "not as many events as were sent: $(tail -n 1 sent.out)"
# 3010 rounds of 3 events, 189 of them with 3 more; the rings hold more than half.
tail -n 1 out | grep -qE '^events: emitted 9597 delivered [5-9][0-9]{3} lost' || fail "another number of events"
"$hostlink" stats --csv sent 2>err | cmp - core.csv || fail "other times than were sent"
# Names that are constants of the program, and one that was made at run time.
for name in '"round"' '"thread of 1"' "round $3 of thread of 1" 'process\.c'; do
    grep -qE -- "$name" core.json || fail "no $name in the trace"
done
