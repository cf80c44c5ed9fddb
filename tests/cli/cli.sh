#!/usr/bin/env bash
# One test of hostlink's command line. Usage: cli.sh HOSTLINK BOARD TEST, where TEST is one of the functions
# test_* below and BOARD the program of board.c.
. "$(dirname "$0")/helpers.sh"

# The commands that the program itself lists.
commands() { "$hostlink" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx help; }

test_help() {
    run 0 "$hostlink" --help
    prints '^Usage: hostlink \[SOURCE\]'
    [ "$(commands | wc -l)" -ge 7 ] || fail "not all commands are listed"
    for command in $(commands); do
        run 0 "$hostlink" help $command
        prints "^Usage: hostlink $command"
        mv out first
        run 0 "$hostlink" $command --help
        cmp -s out first || fail "help $command is not $command --help"
    done
    run 0 "$hostlink" --version
    prints '^hostlink [0-9]+\.[0-9]+\.[0-9]+$'
    run 2 "$hostlink" help nonsense
    says_only "no command 'nonsense'"
    run 2 "$hostlink" stat
    says_only "did you mean 'stats'"
}

test_bad_option() {
    run 2 "$hostlink" x.kymo --boud 9600
    says_only "unknown option '--boud', did you mean '--baud'\?.*hostlink help capture"
    run 2 "$hostlink" convert x.kymo --zzz
    says_only "unknown option '--zzz'; see 'hostlink help convert'"
    run 2 "$hostlink" x.kymo --baud
    says_only "'--baud' needs an argument"
    for number in 0 -1 12x 99999999999 ''; do
        run 2 "$hostlink" x.kymo --baud "$number"
        says_only "'--baud' needs a number"
    done
    for wish in gain =7 gain= = gain=x gain=7x gain=7.5 gain=2147483648; do
        run 2 "$hostlink" x.kymo --set "$wish"
        says_only "'--set' needs NAME=VALUE with a whole number"
    done
    for number in 0 -1 nan inf x ''; do
        run 2 "$hostlink" x.kymo --duration "$number"
        says_only "'--duration' needs a number of seconds"
    done
    run 2 "$hostlink" x.kymo --rtscts=1
    says_only "takes no argument"
    run 2 "$hostlink" x.kymo y.kymo
    says_only "one source"
    run 2 "$hostlink" convert x.kymo
    says_only "no output given"
    run 2 "$hostlink" stats
    says_only "no input file \\(IN.kymo\\) given"
}

test_bad_output() {
    run 2 "$hostlink" convert x.kymo -o y.pftrac
    says_only "suffix names no format, did you mean '.pftrace'"
    for output in ctf:x ctf:x.ctf; do
        run 2 "$hostlink" convert x.kymo -o $output
        says_only "'ctf' is no format; there are kymo, perfetto, chrome, csv.*; see"
    done
    run 2 "$hostlink" convert x.kymo -o -
    says_only "needs a format"
    run 2 "$hostlink" convert x.kymo -o y.csv -o csv:y.csv
    says_only "same name"
    run 2 "$hostlink" x.bin -o a.kymo -o b.kymo
    says_only "only one capture file"
    run 2 "$hostlink" convert x.kymo -o y.kymo
    says_only "capture already"
}

test_missing_device() {
    run 3 "$hostlink" /dev/ttyUSB99
    says_only '^hostlink: /dev/ttyUSB99: no such file or device'
    run 3 "$hostlink" unix:"$folder"/none
    says_only 'cannot connect: No such file'
    run 3 "$hostlink" tcp:127.0.0.1:1
    says_only 'cannot connect .*: Connection refused'
    run 3 "$hostlink" tcp:nowhere:
    says_only 'tcp:HOST:PORT'
    run 3 "$hostlink" "$folder"
    says_only 'is a folder'
    run 3 "$hostlink" stats none.kymo
    says_only '^hostlink: none.kymo: cannot be read: No such file'
    [ -z "$(ls ./*.kymo 2>/dev/null)" ] || fail "a capture file was left"
}

test_busy_device() {
    start_board -n 0
    start_hostlink "$device" -o first.kymo
    await bigger_than first.kymo 1000
    cp err first.err
    "$hostlink" "$device" --duration 5 -o second.kymo >out2 2>err2
    [ $? -eq 3 ] || fail "the second one was let in"
    grep -qE "^hostlink: $device: busy: another program has it open" err2 || fail "$(cat err2)"
    [ "$(wc -l <err2)" -eq 1 ] || fail "more than one line"
    kill -TERM $hostlink_pid
    end_hostlink 0
}

test_unwritable_output() {
    make_capture x.kymo
    run 1 "$hostlink" convert x.kymo -o none/y.csv
    says_only '^hostlink: none/y.csv: cannot be written: No such file or directory; does its folder exist'
    mkdir folder.csv
    run 1 "$hostlink" convert x.kymo -o folder.csv
    says_only '^hostlink: folder.csv: cannot be written: Is a directory'
    # Known before anything is captured.
    run 1 "$hostlink" /dev/zero -o none/y.csv
    says_only 'none/y.csv: cannot be written'
    run 1 "$hostlink" /dev/zero -o none/y.kymo
    says 'none/y.kymo: cannot be written'
    # One that fails does not stop the others.
    run 1 "$hostlink" convert x.kymo -o csv:/dev/full -o good.csv
    says '/dev/full: cannot be written: No space left'
    [ "$(sed -n 's/^inner,.*board.c,[0-9]*,[0-9]*,[0-9.]*,\([0-9]*\),.*/\1/p' good.csv)" = 3000 ] || fail "good.csv is not good"
}

test_full_disk() {
    "$board" 2>board.err | "$hostlink" - -o kymo:/dev/full >out 2>err
    [ "${PIPESTATUS[1]}" -eq 1 ] || fail "wrong status"
    says '/dev/full: cannot be written: No space left on device; it keeps nothing of the capture; the capture goes on for viewers and the table'
    counts 1000
    make_capture x.kymo
    run 1 "$hostlink" convert x.kymo -o perfetto:/dev/full
    says '/dev/full: cannot be written: No space left'
    "$hostlink" stats x.kymo >/dev/full 2>err
    [ $? -eq 1 ] || fail "stats does not notice a full disk"
    says 'standard output: cannot be written: No space left'
    # A limit on the size of files stands for a disk that fills up while it runs.
    (ulimit -f 4; "$board" 2>board.err | "$hostlink" - -o part.kymo >out 2>err; exit "${PIPESTATUS[1]}")
    [ $? -eq 1 ] || fail "wrong status when the disk filled up"
    says 'part.kymo: cannot be written: File too large; it keeps 4.10 kB of the capture; the capture goes on for viewers'
    counts 1000
    # Neither is there room for a temporary file: the outputs hold what the capture does.
    (ulimit -f 4; "$board" 2>board.err | "$hostlink" - -o part.kymo -o part.csv >out 2>err; exit "${PIPESTATUS[1]}")
    [ $? -eq 1 ] || fail "wrong status when there is no room for a temporary file"
    says 'it keeps 4.10 kB of the capture.*the other outputs will hold no more than that'
    run 0 "$hostlink" stats --csv part.kymo
    cmp out part.csv || fail "the output is not that of what was kept"
    run 0 "$hostlink" stats part.kymo
    prints '^inner '
    (ulimit -f 4; run 1 "$hostlink" convert x.kymo -o x.json) || exit 1
    says 'x.json: cannot be written: File too large'
    [ -z "$(ls x.json* 2>/dev/null)" ] || fail "what could not be completed was left on the full disk"
}

# The disk of the capture alone is full: a tmpfs in a namespace of its own, which needs root or user namespaces.
on_full_disk() {
    mount -t tmpfs -o size="$1" none disk || return 1
    "$board" 2>board.err | "$hostlink" - -o disk/x.kymo -o x.csv -o x.json >out 2>err
    local status=${PIPESTATUS[1]}
    if [ "$2" = kept ]; then cp disk/x.kymo x.kymo; fi
    return $((status == 1 ? 0 : 2))
}
test_full_capture_disk() {
    make_capture whole.kymo
    run 0 "$hostlink" stats --csv whole.kymo
    sed 's/,.*//' out >whole.zones
    mkdir disk
    export -f on_full_disk
    export board hostlink
    unshare --user --map-root-user --mount bash -c 'on_full_disk 4k kept' || fail "wrong status"
    says 'disk/x.kymo: cannot be written: No space left on device; it keeps 4.10 kB of the capture; .*the other outputs will be whole'
    ! grep -q 'is empty' err || fail "it is not empty"
    counts 1000
    grep -q '^inner,.*,3000,' x.csv && tail -c 3 x.json | grep -q '}' || fail "the outputs are not whole"
    run 0 "$hostlink" stats x.kymo
    prints '^inner '
    # Not even the first bytes of the capture had room.
    unshare --user --map-root-user --mount bash -c 'mount() { command mount "$@" && head -c 4096 /dev/zero >disk/other; }
        on_full_disk 4k lost' || fail "wrong status"
    says 'disk/x.kymo: cannot be written: No space left on device; it keeps nothing of the capture'
    ! grep -q 'is empty' err || fail "it is not said to be empty"
    counts 1000
    grep -q '^inner,.*,3000,' x.csv || fail "the outputs are not whole"
}

# As a script reads it: every message with its text, every value of a plot.
test_events_as_csv() {
    make_capture x.kymo
    run 0 "$hostlink" convert x.kymo -q -o x.events.csv
    python3 -B - x.events.csv >out <<'EOF' || fail "not the events of the board"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
texts = [row["text"] for row in rows if row["kind"] == "message"]
values = [int(row["value"]) for row in rows if row["kind"] == "plot" and row["name"] == "level"]
ends = [row for row in rows if row["kind"] == "zone end" and row["name"] == "inner"]
print(len(texts), len(values), len(ends))
ok = texts == [f"round {i}" for i in range(1000)] and values == [i % 100 for i in range(1000)]
sys.exit(not (ok and len(ends) == 3000 and all(1000 <= int(row["value"]) < 1100 for row in ends)))
EOF
}

test_cut_file() {
    make_capture x.kymo
    size=$(stat -c %s x.kymo)
    for bytes in $((size - 1)) $((size / 2)) $((size / 3)); do
        head -c $bytes x.kymo >cut.kymo
        run 0 "$hostlink" convert cut.kymo -o cut.json -o cut.pftrace
        run 0 "$hostlink" stats cut.kymo
        prints '^inner '
        emitted=$(sed -n 's/^events: emitted \([0-9]*\) .*/\1/p' out)
        [ "$emitted" -gt 0 ] && [ "$emitted" -le 10000 ] || fail "$emitted events in a part of 10000"
    done
    for bytes in 1 8 9 30; do
        head -c $bytes x.kymo >cut.kymo
        run 4 "$hostlink" stats cut.kymo
        says 'cut.kymo: '
    done
}

test_garbage_file() {
    head -c 100000 /dev/urandom >x.kymo
    run 4 "$hostlink" convert x.kymo -o x.pftrace
    says 'x.kymo: no valid packet in 100000 bytes'
    [ ! -e x.pftrace ] || fail "an output of nothing"
    # Damage in the middle costs what it hits, and no more.
    make_capture x.kymo
    dd if=/dev/urandom of=x.kymo bs=1 seek=5000 count=50 conv=notrunc 2>/dev/null
    run 0 "$hostlink" stats x.kymo
    says '[0-9]+ damaged packets?, '
    tail -n 1 out | awk '{ exit !($3 == $5 + $7 && $3 == 10000 && $7 > 0 && $7 < 2000) }' || fail "wrong sum"
}

test_garbage_source() {
    run 4 "$hostlink" /dev/urandom --duration 0.5
    says 'no valid packet in [0-9]+ bytes: is this the stream of a kymo board'
    run 4 "$hostlink" - </dev/null
    says 'nothing came from the board'
    [ "$(ls kymo-*.kymo | wc -l)" -eq 1 ] || fail "a file for nothing was left, or none for something"
}

test_garbage_serial() {
    # Not a board: a pseudo-terminal into which noise is written.
    start_hostlink pty:noise -q -o noise.kymo
    await test -e noise
    head -c 20000 /dev/urandom >noise
    end_hostlink 4
    says 'no valid packet in'
}

test_empty_file() {
    : >x.kymo
    for command in stats info "convert -o y.csv"; do
        run 4 "$hostlink" $command x.kymo
        says_only '^hostlink: x.kymo: is empty'
    done
}

# What people give in place of a trace. Each command names it and says what to do; nothing of it is shown.
wrong_input() {
    local status=$1 file=$2 command
    for command in capture stats info "convert -o y.csv"; do
        run "$status" "$hostlink" $command "$file"
        says_only "^hostlink: $file: $3"
        [ ! -s out ] || fail "something is printed of $file"
    done
    run "$status" "$hostlink" - <"$file"
    says_only "^hostlink: standard input: $3"
}
test_wrong_input() {
    cp "$board" program.elf
    wrong_input 3 program.elf 'is an ELF file, a program and no trace: give it as --elf IMAGE'
    # The type of the ELF file is "core".
    printf '\x04' | dd of=program.elf bs=1 seek=16 conv=notrunc 2>/dev/null
    wrong_input 3 program.elf "is a core file: read it by 'hostlink dump --elf IMAGE'"
    printf '\xd4\xc3\xb2\xa1\x02\x00\x04\x00' >x.pcap
    wrong_input 3 x.pcap 'is a network capture \(pcap\)'
    echo 'name,src_file,src_line' >x.csv
    wrong_input 3 x.csv 'is a text file, without a packet of a board'
    make_capture x.kymo
    gzip -c x.kymo >x.kymo.gz
    wrong_input 3 x.kymo.gz 'is a compressed file: unpack it first'
    : >empty
    wrong_input 4 empty 'is empty, nothing was captured'
    run 3 "$hostlink" stats x.kymo --elf x.csv
    says_only 'x.csv: is not an ELF file: give the program as the linker wrote it'
    [ -z "$(ls kymo-* y.csv 2>/dev/null)" ] || fail "an output of nothing"
}

# A capture and a board of the wire's version before, and of the next one.
test_other_version() {
    other_version 2
    other_version 4
}

other_version() {
    local other=$1 use="use the hostlink of the same release as"
    "$board" 2>board.err | python3 -B "$top/tests/cli/other_version.py" "$other" >board.bin || fail "no stream"
    printf "kymo\\x0$other\\r\\n\\0" | cat - board.bin >x.kymo
    for command in stats info serve "convert -o y.csv"; do
        run 3 "$hostlink" $command x.kymo
        says_only "^hostlink: x.kymo: capture of wire version $other, this hostlink reads version 3: $use the runtime that recorded it$"
    done
    [ ! -e y.csv ] || fail "an output of nothing"
    for stream in board.bin x.kymo; do
        cat $stream | "$hostlink" - -o z.kymo --no-tracy >out 2>err
        [ "${PIPESTATUS[1]}" -eq 4 ] || fail "wrong status for a board of version $other"
        says_once "the board sends version $other of the wire format, this hostlink reads version 3: $use the board's runtime$"
    done
}

test_raw_dump() {
    "$board" >x.bin 2>board.err || fail "no dump"
    run 0 "$hostlink" stats x.bin
    says 'x.bin: not a capture file of hostlink, read as the raw bytes'
    counts 1000
}

test_pipes() {
    make_capture x.kymo
    "$hostlink" stats - <x.kymo >out 2>err || fail "standard input"
    counts 1000
    cat x.kymo | "$hostlink" stats - >out 2>err || fail "a pipe"
    counts 1000
    "$hostlink" convert x.kymo -q -o y.csv && cat x.kymo | "$hostlink" convert - -q -o z.csv || fail "convert"
    cmp y.csv z.csv || fail "a pipe gives another result than a file"
}

test_convert_twice() {
    make_capture x.kymo
    mkdir a b
    for i in a b; do
        run 0 "$hostlink" convert x.kymo -o $i/x.pftrace -o $i/x.json -o $i/x.csv
    done
    diff -r a b || fail "not the same bytes"
    [ "$(ls a | wc -l)" -eq 3 ] || fail "not three outputs"
}

test_stdout_output() {
    make_capture x.kymo
    for format in perfetto chrome csv csv-events; do
        run 0 "$hostlink" convert x.kymo -o $format:-
        mv out piped
        run 0 "$hostlink" convert x.kymo -o $format:file
        cmp -s piped file || fail "$format on standard output is not that in a file"
    done
    run 0 "$hostlink" convert x.kymo -o csv:-
    mv out csv
    run 0 "$hostlink" stats --csv x.kymo
    cmp -s out csv || fail "stats --csv is not the CSV output"
    # Live: the table gives way.
    "$board" 2>board.err | "$hostlink" - -o y.kymo -o csv:- >out 2>err || fail "live"
    [ "$(head -c 5 out)" = name, ] && ! grep -q '^events:' out || fail "standard output is not the CSV alone"
    says '^events: emitted 10000 delivered 10000 lost 0'
    "$board" 2>board.err | "$hostlink" - -o kymo:- 2>err >y.kymo || fail "capture on standard output"
    run 0 "$hostlink" stats y.kymo
    counts 1000
}

test_table() {
    make_capture x.kymo
    run 0 "$hostlink" stats x.kymo
    awk '$1 == "round" && $2 == 1000 { a = 1 } $1 == "inner" && $2 == 3000 { b = 1 } END { exit !(a && b) }' out ||
        fail "wrong counts in the table"
    counts 1000
    run 0 "$hostlink" info x.kymo
    prints '^image +test board$'
    prints '^clock +1000000000 Hz'
    prints '^time span .*complete'
    prints '^sessions +1$'
}

test_serial() {
    start_board -n 2000 -k
    run 0 "$hostlink" "$device" -o x.kymo -o x.csv -o x.json -o x.pftrace
    counts 2000
    says 'the board has finished'
    says 'pings? answered'
    [ "$(ls x.* | tr '\n' ' ')" = "x.csv x.json x.kymo x.pftrace " ] || fail "not all outputs"
    # What is written after a capture is what the capture file gives at any later time.
    run 0 "$hostlink" convert x.kymo -o y.csv -o y.json -o y.pftrace
    for suffix in csv json pftrace; do
        cmp x.$suffix y.$suffix || fail "$suffix differs from a later conversion"
    done
    [ "$(head -c 8 x.kymo | od -An -tx1 | tr -d ' \n')" = 6b796d6f030d0a00 ] || fail "wrong magic bytes"
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

# A signal ends the capture and completes all outputs.
ends_by() {
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
# A shell's background job ignores SIGINT, and hostlink then leaves it so: env gives it back.
test_interrupt() {
    hostlink_real=$hostlink
    printf '#!/bin/sh\nexec env --default-signal=INT "%s" "$@"\n' "$hostlink_real" >wrapper
    chmod +x wrapper
    hostlink=$folder/wrapper
    ends_by INT
}
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
    # Of each of these the last packet has no end.
    for bytes in $((size - 2)) $((size / 2)) $((size / 3)); do
        head -c $bytes x.kymo >cut.kymo
        run 0 "$hostlink" info cut.kymo
        prints ', 0 damaged, 0 B outside of packets'
    done
    # And here the first one no beginning, behind the magic and the host's clock.
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

test_pty_source() {
    start_hostlink pty:link -o x.kymo
    await test -e link
    says 'waiting for a writer on link'
    "$board" >link 2>board.err || fail "cannot write to the pseudo-terminal"
    end_hostlink 0
    counts 1000
    [ ! -e link ] || fail "the link was left"
}

test_file_source() {
    "$board" >x.bin 2>board.err || fail "no dump"
    run 0 "$hostlink" x.bin
    counts 1000
    [ -z "$(ls kymo-* 2>/dev/null)" ] || fail "a file was captured into another one unasked"
    run 0 "$hostlink" x.bin -o y.kymo -o y.csv
    counts 1000
    # A file holds no time of arrival: nothing was put in.
    tail -c +9 y.kymo | cmp -s - x.bin || fail "y.kymo is not x.bin behind the magic bytes"
    run 0 "$hostlink" y.kymo
    counts 1000
}

test_same_file() {
    make_capture x.kymo
    cp x.kymo before
    ln x.kymo other.kymo
    run 2 "$hostlink" x.kymo -o other.kymo
    says_only 'other.kymo: is the input itself; choose another name'
    for output in chrome:x.kymo perfetto:./other.kymo csv:"$PWD"/x.kymo; do
        run 2 "$hostlink" convert x.kymo -o "$output"
        says_only 'is the input itself'
    done
    run 2 "$hostlink" convert x.kymo -o y.json -o perfetto:./y.json
    says_only 'is the same file as .*give each output a name of its own'
    run 2 "$hostlink" x.kymo -o y.kymo -o chrome:y.kymo
    says_only 'is the same file as'
    cp x.kymo grows
    "$hostlink" convert grows -o chrome:- >>grows 2>err
    [ $? -eq 2 ] || fail "wrong status when standard output is the input"
    says_only 'is the input itself'
    cmp -s x.kymo before && cmp -s grows before || fail "the source was changed"
}

# Two captures into one file, and an output over a capture that runs: the first stays whole, the second says why.
test_in_use() {
    mkfifo stream
    start_hostlink stream --no-tracy -o x.kymo
    exec 3>stream
    await test -s x.kymo
    mv err first.err
    "$board" 2>board.err | "$hostlink" - --no-tracy -o x.kymo >out 2>err
    [ "${PIPESTATUS[1]}" -eq 1 ] || fail "a second capture into the file was accepted"
    says 'x.kymo: is in use by another hostlink; end that one, or choose another name'
    make_capture y.kymo
    run 1 "$hostlink" convert y.kymo -o chrome:x.kymo
    says 'x.kymo: is in use by another hostlink'
    "$board" >&3 2>board.err
    exec 3>&-
    wait "$hostlink_pid" || fail "the first capture failed"
    run 0 "$hostlink" stats x.kymo
    counts 1000
    [ -z "$(ls ./*.part 2>/dev/null)" ] || fail "a part file was left"
}

# A redirected standard output under its other name, pipes and /dev/null. The link is what /dev/stdout is on Linux.
test_special_outputs() {
    make_capture x.kymo
    ln -s /proc/self/fd/1 stdout
    run 0 "$hostlink" convert x.kymo -o x.csv -o x.json
    run 0 "$hostlink" convert x.kymo -o csv:stdout
    cmp -s out x.csv || fail "the name of standard output into a file differs"
    "$hostlink" convert x.kymo -o csv:stdout 2>err | cmp -s - x.csv || fail "the name of standard output into a pipe differs"
    run 0 "$hostlink" convert x.kymo -o csv:/dev/null -o chrome:-
    cmp -s out x.json || fail "standard output differs"
    mkfifo pipe
    cat pipe >from_pipe &
    run 0 "$hostlink" convert x.kymo -o chrome:pipe
    wait $!
    cmp -s from_pipe x.json || fail "a pipe differs"
    [ -L stdout ] || fail "the link was replaced"
}

# The options that the program's own help names for a command.
options_of() { "$hostlink" help "$1" | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'; }

# Every option of every command is in the manual and in the completion, and nothing else is.
test_documents() {
    local command
    command -v mandoc >/dev/null || fail "mandoc is missing: install the package mandoc"
    mandoc -Tlint -W warning "$top"/hostlink/man/hostlink.1 >out || fail "the manual is not clean"
    mandoc -Tascii "$top/hostlink/man/hostlink.1" | sed 's|.\x08||g' >manual
    . "$top/hostlink/completion/hostlink.bash"
    for command in $(commands); do
        options_of $command | sort >options
        grep -q -- --help options || fail "help $command names no options"
        _hostlink_options $command | grep -oE -- '--[a-z-]+' | sort >completed
        diff options completed >out || fail "completion of $command differs from its help"
        awk -v name="$command" '$0 == "   " name { on = 1; next } /^(   )?[a-zA-Z]/ { on = 0 } on' manual >part
        grep -v -- --help options | while read -r option; do
            grep -qE -- "(^|[ ,])$option([ ,]|\$)" part || echo "$option"
        done >out
        [ ! -s out ] || fail "the manual's part about $command lacks options"
        [ -f "$top/hostlink/man/hostlink-$command.1" ] || fail "no hostlink-$command.1"
    done
}

# complete WORD ...: what is offered for the last word of the line.
complete_line() {
    COMP_WORDS=(hostlink "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _hostlink
    printf '%s\n' "${COMPREPLY[@]}" >out
}
test_completion() {
    . "$top/hostlink/completion/hostlink.bash"
    : >run.kymo
    complete_line con
    [ "$(cat out)" = convert ] || fail "con"
    complete_line stats run
    [ "$(cat out)" = run.kymo ] || fail "stats run"
    complete_line stats --c
    [ "$(cat out)" = --csv ] || fail "stats --c"
    complete_line run.bin --du
    [ "$(cat out)" = --duration ] || fail "--du"
    complete_line run.bin --duration r
    [ -z "$(tr -d '\n' <out)" ] || fail "a number is not a file"
    complete_line help st
    [ "$(cat out)" = stats ] || fail "help st"
}

"test_$3" && echo "passed"
