#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of 'hostlink doctor': each fault is made, and it is named. Usage: doctor.sh HOSTLINK BOARD TEST ELF_BOARD, where
# TEST is one of the functions test_* below and ELF_BOARD a board whose names are in its ELF file, beside which lies another
# build of it.
elf_board=$(realpath "$4")
. "$(dirname "$0")/helpers.sh"
line=$top/tests/cli/doctor_line.py

# finds STATUS PATTERN ARGUMENT ...: the first finding is that.
finds() {
    local status=$1 pattern=$2
    shift 2
    run "$status" "$hostlink" doctor "$@"
    head -n 1 out | grep -qE -- "^ 1\. +$pattern" || fail "the first finding is not '$pattern'"
    [ ! -s err ] || fail "something is said beside the findings"
}
# start_line CHANGE [BAUD]
start_line() {
    rm -f device
    python3 -B "$line" "$1" x.kymo "${@:2}" >device 2>/dev/null &
    pids+=($!)
    await test -s device
    device=$(cat device)
}
no_fault() { ! grep -qE '^ *[0-9]+\.' out || fail "a fault is found"; }

test_port() {
    finds 3 "source +$folder/ttyUSB7: no such file or device" "$folder/ttyUSB7"
    finds 3 'source +.*: is a folder' "$folder"
    finds 4 'bytes +standard input: is empty' - </dev/null
    finds 4 'bytes +nothing came from the board: does it run' /dev/null
    start_board -n 0
    start_hostlink "$device" -q --no-tracy -o y.kymo
    await bigger_than y.kymo 100
    finds 3 "source +$device: busy: hostlink \(process $hostlink_pid\) has it open; close that program" "$device"
    stop_hostlink
}

test_bytes() {
    # Long enough that plenty of its packets are damaged after the first whole one: before it nothing counts.
    "$board" -n 4000 >x.kymo 2>board.err
    while IFS=: read -r status change pattern; do
        python3 -B "$line" "$change" x.kymo - >y.kymo
        finds "$status" "$pattern" y.kymo
        finds "$status" "$pattern" - < <(cat y.kymo)
    done <<'END'
3:text:source +.*: is a text file
4:seven_bits:bytes +.*no byte is above 0x7f: the line has 7 data bits
4:inverted:bytes +each bit is inverted: [0-9]+ packets are whole so
4:noise:bytes +no valid packet in 5[0-9]+ bytes
END
    start_line text
    finds 4 'bytes +no valid packet in [0-9]+ bytes: it is text: a console' "$device" --duration 1
    # Some packets are whole.
    for change in cr_lf:'each LF follows a CR' xon_xoff:'0x11 and 0x13 never come'; do
        python3 -B "$line" "${change%%:*}" x.kymo - >y.kymo
        run 8 "$hostlink" doctor y.kymo
        prints "^ [0-9]\. line +.*${change#*:}"
    done
    python3 -B "$top/tests/cli/other_version.py" 5 <x.kymo >y.kymo
    finds 4 'bytes +no valid packet in [0-9]+ bytes: they are of another version of the wire format' y.kymo
    run 0 "$hostlink" doctor x.kymo
    no_fault
    prints '^ok +events +40000 events, none lost$'
    head -c 30000 x.kymo >y.kymo
    run 0 "$hostlink" doctor y.kymo
    prints '^ok +events +[0-9]+ events, none lost until here: the board.s final status is not there$'
}

test_rate() {
    make_capture x.kymo
    start_line none 460800
    finds 8 'baud rate +the board sends at 460800 baud, and not at 115200: give --baud 460800' "$device" --duration 1
    prints '^ok +events +[0-9]+ events, none lost'
    start_line none 921600
    "$hostlink" doctor "$device" --duration 1 --baud 921600 >out # the line may send noise until it sees the rate
    prints '^ok +source +.* 8N1 at 921600 baud'
    prints '^ok +events +[0-9]+ events, none lost'
    ! grep -q 'baud rate' out || fail "another rate is tried"
    # No rate shows packets: then it is the polarity, or no board.
    start_line noise
    finds 4 'bytes +no valid packet in [0-9]+ bytes: wrong baud rate.* It is 115200; .*polarity' "$device" --duration 1
}

test_board() {
    start_board -n 0
    run 0 "$hostlink" doctor "$device"
    no_fault
    prints '^ok +commands +are answered'
    prints '^ok +clock +1000000000 Hz, about [0-9]+ Hz by the host'
    make_capture x.kymo
    start_line silence
    finds 4 'bytes +nothing came from the board: does it run' "$device"
}

test_elf() {
    run 0 "$hostlink" doctor "$elf_board"
    no_fault
    mv out alone
    run 0 "$hostlink" doctor --elf "$elf_board"
    cmp -s out alone || fail "an ELF file as source is not that of --elf"
    prints '^ok +sites +4: 2 zones, 1 message, 1 plot; their names are in this file only'
    prints '^ok +recorder +1 ring of 4.10 kB$'
    prints '^ok +size +kymo takes [0-9.]+ kB of code, '
    finds 8 'ELF +.*: has no symbol kymo_layout' /bin/true
    "$elf_board" >x.kymo 2>board.err
    finds 8 'names +[0-9]+ events without a name: the board does not send its names' x.kymo
    run 0 "$hostlink" doctor x.kymo --elf "$elf_board"
    prints '^ok +ELF +is the program that the board runs'
    finds 8 'ELF +.*elf_board_rebuilt: is not the program that the board runs' x.kymo --elf "${elf_board}_rebuilt"
}

# The table's lines and the report have doctor's findings of the program too; but why a zone was slow takes more passes.
same_everywhere() {
    sed -n 's/^ *program *//p' out | grep -v '^slow at times' >wanted
    [ -s wanted ] || fail "nothing to look for"
    run 0 "$hostlink" stats x.kymo
    [ "$(grep -cxFf wanted out)" -eq "$(wc -l <wanted)" ] || fail "stats says otherwise"
    run 0 "$hostlink" report x.kymo -q -o x.html
    while read -r line; do
        grep -qF "$line" x.html || fail "the report does not say: $line"
    done <wanted
}

# This one command names each planted fault with its cause.
test_program() {
    local scene=$(dirname "$board")/cli_scene
    "$scene" >x.kymo || fail "no scene"
    run 0 "$hostlink" doctor x.kymo
    prints "program +interrupt storm at 0\.0[0-9]+ s: gpio came 401 times within 10 ms, usually 3$"
    prints 'program +longest wait for a lock at 0\.[0-9]{6} s: high waited 53\.1 us for bus, which low held$'
    prints 'program +leak\? in pool heap: 70 of 81 allocations were not freed by the end, 3\.33 kB; '
    prints 'program +pool heap: 10 frees of memory that was not allocated'
    prints 'program +slow at times at 0\.[0-9]{6} s: zone job took 10[0-9] us, usually 26\.[0-9] us; most of it, 7[0-9.]+ us, was zone refill$'
    prints 'program +pool heap: 1 allocation of an address that was not freed since the last one$'
    same_everywhere
    [ "$("$hostlink" stats x.kymo | grep -n '^most time' | cut -d: -f1)" -gt "$(
        "$hostlink" stats x.kymo | grep -n '^leak' | cut -d: -f1)" ] || fail "the busiest zones come before faults"
    "$hostlink" stats x.kymo --from 0.05 | grep 'not allocated' && fail "frees of what a part does not have"
    while IFS=: read -r name pattern; do
        python3 -B "$top/tests/cli/task_scenes.py" "$name" >x.kymo
        run 0 "$hostlink" doctor x.kymo
        prints "program +$pattern"
        [ "$(grep -c 'interrupt storm' out)" -le 1 ] || fail "a storm is named twice"
        [ "$name" = inversion ] || ! grep -q 'priority inversion' out || fail "an inversion where idle ran"
        same_everywhere
    done <<'END'
inversion:priority inversion at 0.001120 s: task motor waited 24.6 ms for lock bus, held by logger .* while net
deadlock:deadlock at 0.001030 s: task reader waits for lock bus, held by writer
late:deadline missed at 0.502050 s: task motor took 6.20 ms, its deadline is 5.00 ms
starved:starvation at 0.001500 s: task slow .* was ready for 350 ms and did not run, while busy
storm:interrupt storm at 1.003008 s: uart came 500 times
held:lock held across a wait at 0.001050 s: low waited 20.0 ms \(delay\) and held bus meanwhile: give a lock back
END
}

# A board that is played here, so that the size is known: what would have done does, and half of it does not.
test_ring() {
    python3 -B "$top/tests/cli/doctor_ring.py" "$hostlink" >out 2>err || fail "another size"
}

"test_$3"
