#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of a capture from a board, and of how it ends.
# Usage: capture.sh HOSTLINK BOARD TEST, where TEST is one of the functions test_* below and BOARD the program of board.c.
. "$(dirname "$0")/helpers.sh"

test_busy_device() {
    start_board -n 0
    start_hostlink "$device" -o first.kymo
    await bigger_than first.kymo 1000
    cp err first.err
    "$hostlink" "$device" --duration 5 -o second.kymo >out2 2>err2
    [ $? -eq 3 ] || fail "the second one was let in"
    grep -qE "^hostlink: $device: busy: hostlink \\(process $hostlink_pid\\) has it open" err2 || fail "$(cat err2)"
    [ "$(wc -l <err2)" -eq 1 ] || fail "more than one line"
    kill -TERM $hostlink_pid
    end_hostlink 0
}

test_serial() {
    start_board -n 2000 -a 3 -k
    run 0 "$hostlink" "$device" -o x.kymo -o x.csv -o x.json -o x.pftrace
    counts 2000
    says 'the board has finished'
    says 'pings? answered'
    [ "$(ls x.* | tr '\n' ' ')" = "x.csv x.json x.kymo x.pftrace " ] || fail "not all outputs"
    # Outputs written after a capture equal those made from the capture file at any later time.
    run 0 "$hostlink" convert x.kymo -o y.csv -o y.json -o y.pftrace
    for suffix in csv json pftrace; do
        cmp x.$suffix y.$suffix || fail "$suffix differs from a later conversion"
    done
    [ "$(head -c 8 x.kymo | od -An -tx1 | tr -d ' \n')" = 6b796d6f040d0a00 ] || fail "wrong magic bytes"
}

test_any_baud() {
    start_board -n 100 -k
    run 0 "$hostlink" "$device" --baud 1234567 -o x.kymo
    counts 100
}

test_no_commands() {
    start_board -n 100 -k
    run 0 "$hostlink" "$device" --no-commands -o x.kymo
    counts 100
    ! grep -q 'pings' err || fail "commands were sent"
}

test_cable_gone() {
    start_board -n 0
    start_hostlink "$device" -o x.kymo -o x.csv
    await bigger_than x.kymo 5000
    kill -9 $board_pid
    end_hostlink 5
    says 'the source failed: the other side is gone'
    says 'no final status came from the board'
    prints '^inner '
    [ -s x.csv ] || fail "no CSV"
    run 0 "$hostlink" stats x.kymo
}

# An emulator that ends with its board, though its line looks like a pulled cable.
test_emulator_gone() {
    start_board -n 1000 -x
    run 0 "$hostlink" "$device" --no-commands -o x.kymo
    says 'the board has finished'
    counts 1000
}

# A signal ends the capture and completes all outputs. A shell's background job ignores SIGINT, what nohup runs SIGHUP,
# and hostlink then leaves it so: env gives them back.
ends_by() {
    local real=$hostlink
    printf '#!/bin/sh\nexec env --default-signal="%s" "%s" "$@"\n' "$1" "$real" >wrapper
    chmod +x wrapper
    hostlink=$folder/wrapper
    start_board -n 0
    start_hostlink "$device" -o x.kymo -o x.csv -o x.json
    await bigger_than x.kymo 5000
    kill -"$1" $hostlink_pid
    end_hostlink 0
    prints '^inner '
    prints '^events: emitted [0-9]+ delivered [0-9]+ lost'
    [ "$(ls x.* | tr '\n' ' ')" = "x.csv x.json x.kymo " ] || fail "not all outputs: $(ls)"
    tail -c 3 x.json | grep -q '}' || fail "x.json is not complete"
}
test_interrupt() { ends_by INT; }
test_terminate() { ends_by TERM; }
test_hangup() { ends_by HUP; }

test_killed() {
    start_board -n 0
    start_hostlink "$device" -o x.kymo -o x.csv
    await bigger_than x.kymo 5000
    kill -9 $hostlink_pid
    wait $hostlink_pid
    [ ! -e x.csv ] || fail "an output that is not complete has its name"
    run 0 "$hostlink" stats x.kymo
    prints '^inner '
    tail -n 1 out | awk '{ exit !($3 == $5 + $7 && $5 > 100 && $7 == 0) }' || fail "something was lost"
}

# The outputs contain the received events, whichever file has the capture's name by then.
test_replaced() {
    for how in "rm x.kymo" "cp other.kymo new.kymo && mv new.kymo x.kymo"; do
        rm -f device x.* other.kymo
        make_capture other.kymo
        start_board -n 0
        start_hostlink "$device" -o x.kymo -o x.csv
        await bigger_than x.kymo 5000
        sh -c "$how" || fail "cannot '$how'"
        stop_hostlink 1
        says '^hostlink: x.kymo: another program removed or replaced it during the capture'
        [ "$(sed -n 's/^inner,.*board.c,[0-9]*,[0-9]*,[0-9.]*,\([0-9]*\),.*/\1/p' x.csv)" -gt 100 ] || fail "the output is not whole"
    done
}
# A capture that ends, or begins, while the board sends: neither an error nor damage.
test_duration() {
    start_board -n 0
    run 0 "$hostlink" "$device" --duration 4 -o x.kymo
    says 'the requested duration has passed'
    says 'the board was still sending'
    prints '^inner '
    run 0 "$hostlink" info x.kymo
    prints 'no final status'
}
test_cut_is_no_damage() {
    make_capture x.kymo
    size=$(stat -c %s x.kymo)
    # The last packet of each of these has no end.
    for bytes in $((size - 2)) $((size / 2)) $((size / 3)); do
        head -c $bytes x.kymo >cut.kymo
        run 0 "$hostlink" info cut.kymo
        prints ', 0 damaged, 0 B outside of packets'
    done
    # Here the first packet has no beginning, after the magic and the host's clock.
    "$board" >x.bin 2>board.err || fail "no dump"
    tail -c +20 x.bin >late.bin
    run 0 "$hostlink" info late.bin
    prints ', 0 damaged, 0 B outside of packets'
    # One damaged packet is one.
    printf 'x' | dd of=x.bin bs=1 seek=$(($(stat -c %s x.bin) / 2)) conv=notrunc 2>/dev/null
    run 0 "$hostlink" stats x.bin
    says '^hostlink: 1 damaged packet, '
}

# A board that hangs: named in the status line, once while it lasts, and at the end.
test_silent() {
    start_board -n 100 -c -k
    start_hostlink "$device" -o x.kymo
    await has_rounds 100
    kill -STOP $board_pid
    await has_said '^hostlink: no data from the board for [0-9.]+ s, last event at [0-9.]+ .s: it hangs'
    await has_said '^hostlink: [0-9:]+  no data for [0-9.]+ s, last event at [0-9.]+ .s  events 1.00 k'
    stop_hostlink
    says_once 'no data from the board for'
    says 'the board fell silent without its final status: no data for the last [0-9.]+ s, last event at '
    counts 100
}

# has_rounds ROUNDS: so much of the board is in x.kymo.
has_rounds() { "$hostlink" stats x.kymo 2>/dev/null | grep -q "^events: emitted $(($1 * 10)) "; }

test_idle() {
    start_board -n 100 -c -k
    start_hostlink "$device" --no-commands --idle 4 -o x.kymo
    await has_rounds 100
    kill -STOP $board_pid
    end_hostlink 0
    says 'the board is silent'
    says 'the board fell silent without its final status'
    counts 100
}

"test_$3" && echo "passed"
