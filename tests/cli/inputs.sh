#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of what hostlink reads that is not a board: files, pipes, noise.
# Usage: inputs.sh HOSTLINK BOARD TEST, where TEST is one of the functions test_* below and BOARD the program of board.c.
. "$(dirname "$0")/helpers.sh"

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
    rm x.kymo
    make_capture x.kymo
    dd if=/dev/urandom of=x.kymo bs=1 seek=5000 count=50 conv=notrunc 2>/dev/null
    run 0 "$hostlink" stats x.kymo
    says '[0-9]+ damaged packets?, '
    # The byte where the packet begins that has byte 5000: after the zero before it.
    python3 - <<'END' || fail "wrong byte"
import re
begin = open("x.kymo", "rb").read().rfind(b"\0", 0, 5000) + 1
assert re.search(r"damaged packets?, (the first )?at byte (\d+),", open("err").read())[2] == str(begin), begin
END
    tail -n 1 out | awk '{ exit !($3 == $5 + $7 && $3 == 10000 && $7 > 0 && $7 < 2000) }' || fail "wrong sum"
}

# It named the file itself.
some_came() { bigger_than "$(ls kymo-*.kymo 2>/dev/null)" 1000; }

test_garbage_source() {
    start_hostlink /dev/urandom
    await some_came
    stop_hostlink 4
    says 'no valid packet in [0-9]+ bytes: is this the stream of a kymo board'
    run 4 "$hostlink" - </dev/null
    says 'nothing came from the board'
    run 4 "$hostlink" - -o nothing.kymo </dev/null
    [ ! -e nothing.kymo ] || fail "a named file for nothing was left"
    [ "$(ls kymo-*.kymo | wc -l)" -eq 1 ] || fail "a file for nothing was left, or none for something"
    # A console, short and long: no line of 7 bits.
    for lines in 20 2000; do
        for ((i = 0; i < lines; i++)); do printf '[%5d] sensor is ready\r\n' $i; done >log
        run 4 "$hostlink" - --no-tracy -o log.kymo < <(cat log)
        says '^hostlink: no valid packet in [0-9]+ bytes: it is text: a console or a boot loader'
    done
}

test_garbage_serial() {
    # Not a board: a pseudo-terminal into which noise is written.
    start_hostlink pty:noise -q -o noise.kymo
    await test -e noise
    head -c 20000 /dev/urandom >noise
    end_hostlink 4
    says 'no valid packet in'
    # A serial port, where the rate may be wrong or the line inverted.
    python3 -c 'if True:
        import os, pty, tty
        ours, other = pty.openpty()
        tty.setraw(other)
        print(os.ttyname(other), flush=True)
        while True:
            os.write(ours, os.urandom(4000))' >device 2>/dev/null &
    pids+=($!)
    await test -s device
    start_hostlink "$(cat device)" -q -o line.kymo
    await has_said 'no valid packet in [0-9]+ bytes: wrong baud rate, or an inverted line.*--baud.*polarity'
    stop_hostlink 4
    says 'no valid packet in [0-9]+ bytes: wrong baud rate, or an inverted line.*--baud.*polarity$'
}

test_empty_file() {
    : >x.kymo
    for command in stats info "convert -o y.csv"; do
        run 4 "$hostlink" $command x.kymo
        says_only '^hostlink: x.kymo: is empty'
    done
}

# Inputs that people give in place of a trace. Each command names it and says what to do; nothing of it is shown.
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
    other_version 3
    other_version 5
}

other_version() {
    local other=$1 use="use the hostlink of the same release as"
    "$board" 2>board.err | python3 -B "$top/tests/cli/other_version.py" "$other" >board.bin || fail "no stream"
    printf "kymo\\x0$other\\r\\n\\0" | cat - board.bin >x.kymo
    for command in stats info serve "convert -o y.csv"; do
        run 3 "$hostlink" $command x.kymo
        says_only "^hostlink: x.kymo: capture of wire version $other, this hostlink reads version 4: $use the runtime that recorded it$"
    done
    [ ! -e y.csv ] || fail "an output of nothing"
    for stream in board.bin x.kymo; do
        cat $stream | "$hostlink" - -o z.kymo --no-tracy >out 2>err
        [ "${PIPESTATUS[1]}" -eq 4 ] || fail "wrong status for a board of version $other"
        says_once "the board sends version $other of the wire format, this hostlink reads version 4: $use the board's runtime$"
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

"test_$3" && echo "passed"
