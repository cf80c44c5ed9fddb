#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of a capture from a board that a command runs.
# Usage: run.sh HOSTLINK BOARD TEST, where TEST is one of the functions test_* below and BOARD the program of board.c.
. "$(dirname "$0")/helpers.sh"

test_run_output() {
    run 0 "$hostlink" run - -q --no-tracy -o x.kymo -o x.csv -- "$board" -n 2000
    counts 2000
    grep -q '^emitted 20000$' err || fail "what the command says is not to be seen"
    [ -s x.csv ] || fail "no output"
}

# The status is the command's, and what it sent is kept; also what came before it was cut.
test_run_status() {
    run 7 "$hostlink" run - -q --no-tracy -o x.kymo -- sh -c "'$board'; exit 7"
    counts 1000
    says '^hostlink: sh: ended with status 7$'
    run 1 "$hostlink" run - -q --no-tracy -o x.kymo -- sh -c "'$board' -c; exit 1"
    says 'the command has ended: '
    grep -qE '^events: emitted [0-9]{4} delivered [0-9]{4} lost 0$' out || fail "no table"
    run 137 "$hostlink" run - -q --no-tracy -o x.kymo -- sh -c "'$board'; kill -9 \$\$"
    counts 1000
}

# The command makes the source only after a while; its end may cut the connection.
test_run_waits() {
    run 0 "$hostlink" run unix:line -q --no-tracy -o x.kymo -- \
        sh -c "sleep 0.3; '$board' | python3 '$top/tests/cli/serve_once.py' line"
    counts 1000
    run 3 "$hostlink" run unix:nothing -q --no-tracy -- sh -c 'exit 0'
    says '^hostlink: unix:nothing: '
    run 5 "$hostlink" run unix:nothing -q --no-tracy -- sh -c 'exit 5'
}

# After the board has finished a command that goes on is ended, also one that does not listen to a plain request.
test_run_ends_command() {
    run 0 "$hostlink" run - -q --no-tracy -o x.kymo -- sh -c "'$board'; echo \$\$ >pid; exec sleep 600"
    counts 1000
    says '^hostlink: sh: still runs, and is ended$'
    ! kill -0 "$(cat pid)" 2>/dev/null || fail "the command still runs"
    run 0 "$hostlink" run - -q --no-tracy -o x.kymo -- \
        sh -c "trap '' TERM; '$board'; echo \$\$ >pid; while :; do sleep 0.1; done"
    ! kill -0 "$(cat pid)" 2>/dev/null || fail "the command still runs"
}

# Processes that a wrapper has started end with it.
gone() { ! kill -0 "$1" 2>/dev/null; }
test_run_ends_all() {
    run 0 "$hostlink" run - -q --no-tracy -o x.kymo -- sh -c "sleep 600 & echo \$! >pid; '$board'" </dev/null
    counts 1000
    await gone "$(cat pid)"
    run 0 "$hostlink" run - -q --no-tracy -o x.kymo -- sh -c "'$board'; sleep 600 & echo \$! >pid; wait" </dev/null
    await gone "$(cat pid)"
}

# Two sources without a trace: one that never appears, and a board that only prints.
test_run_nothing() {
    run 4 "$hostlink" run unix:nothing --duration 0.3 -q --no-tracy -- sleep 600
    says '^hostlink: unix:nothing: '
    run 4 "$hostlink" run - -q --no-tracy -- printf 'one\r\ntwo\n'
    prints '^board: one$'
    prints '^board: two$'
    says 'no valid packet in 9 bytes'
}

test_run_stopped() {
    start_hostlink run - -q --no-tracy -o x.kymo -- sh -c "echo \$\$ >pid; exec '$board' -n 0"
    await bigger_than x.kymo 1000
    stop_hostlink
    ! kill -0 "$(cat pid)" 2>/dev/null || fail "the command still runs"
    says 'stopped: '
    tail -n 1 out | grep -q ' lost 0$' || fail "no table"
}

# A flash tool: first it, then the board.
test_run_first() {
    start_board -n 1000 -k
    run 0 "$hostlink" run "$device" --first -q --no-tracy -o x.kymo -- sh -c 'echo flashed >flashed'
    [ -s flashed ] || fail "the command did not run"
    counts 1000
    run 9 "$hostlink" run "$device" --first -q --no-tracy -o y.kymo -- sh -c 'exit 9'
    [ ! -e y.kymo ] || fail "a capture behind a command that failed"
}

test_run_wrong() {
    run 2 "$hostlink" run -
    says_only "no command: write it after '--'"
    run 2 "$hostlink" run - --
    says_only "no command"
    run 2 "$hostlink" run - --first -- true
    says_only "leave out '--first'"
    run 127 "$hostlink" run - --no-tracy -- ./no-such-program
    says_only '^hostlink: ./no-such-program: cannot be started: No such file or directory$'
    run 126 "$hostlink" run - --no-tracy -- /
    says_only '^hostlink: /: cannot be started: Permission denied$'
    # A program that is no board.
    run 4 "$hostlink" run - -q --no-tracy -- true
    [ "$(ls)" = "$(printf 'err\nout')" ] || fail "a file is left: $(ls)"
}

"test_$3" && echo "passed"
