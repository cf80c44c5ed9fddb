#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of "hostlink dump". Usage: dump.sh HOSTLINK PAIR TEST, where TEST is one of the functions test_* below and
# PAIR the program of dump_pair_main.c.
. "$(dirname "$0")/helpers.sh"
pair=$board

test_usage() {
    run 2 "$hostlink" dump
    says 'no saved memory \(MEMORY\) given'
    run 2 "$hostlink" dump ram.bin
    says '\-\-elf IMAGE'
    run 2 "$hostlink" dump --elf a.elf ram.bin --address here
    says "needs an address such as 0x20000000, not 'here'"
    run 3 "$hostlink" dump --elf nothing.elf ram.bin
    says 'nothing.elf: cannot be read: No such file'
}

test_wrong_files() {
    "$pair" 0 a.elf ram.bin
    head -c 5000 /dev/urandom >noise
    run 3 "$hostlink" dump --elf noise ram.bin
    says 'noise: is not an ELF file: give the program'
    run 3 "$hostlink" dump --elf a.elf noise
    says 'noise: holds no mark of this program'
    run 3 "$hostlink" dump --elf a.elf a.elf
    says 'a.elf: an ELF file, but not a core file'
    sed 's/kymo_layout/removed_one/' a.elf >stripped.elf
    run 3 "$hostlink" dump --elf stripped.elf ram.bin
    says 'stripped.elf: has no symbol kymo_layout'
    for text in ':100000000C9F0000A4A00000A6A00000A8A00000B8:Intel HEX:ihex' \
        'S00F00000000000000000000000000000000F0:S-records:srec' '%4E6528:Tektronix hex:tekhex' \
        '@20000000:Verilog:verilog'; do
        printf '%s\r\n' "${text%:*:*}" >ram.txt
        run 3 "$hostlink" dump --elf a.elf ram.txt
        says "ram.txt: is text, not bytes.*'dump binary memory'.*objcopy -I ${text##*:} "
    done
    printf '\x02' | dd of=a.elf bs=1 seek=5 conv=notrunc 2>/dev/null
    run 3 "$hostlink" dump --elf a.elf ram.bin
    says 'a.elf: .*big-endian'
}

test_wrong_address() {
    "$pair" 0 a.elf ram.bin
    run 0 "$hostlink" dump --elf a.elf ram.bin -q --address 0x20000000
    run 3 "$hostlink" dump --elf a.elf ram.bin --address 0x1ffffff0
    says 'begins at another address'
    run 3 "$hostlink" dump --elf a.elf ram.bin --address 0x30000000
    says 'does not hold the address 0x20000000'
    head -c 1000 ram.bin >short.bin
    run 3 "$hostlink" dump --elf a.elf short.bin
    says 'short.bin: does not hold all of kymo_rings, 1024 bytes at 0x20000200'
}

# The recorders of two builds are at the same address; their recordings name different things.
test_mixed() {
    "$pair" 0 a.elf ram.bin
    # The kind of the first site, a zone's, becomes that of a plot.
    printf '\x02' | dd of=a.elf bs=1 seek=$((64 + 56 + 64 + 36)) conv=notrunc 2>/dev/null
    run 3 "$hostlink" dump --elf a.elf ram.bin
    says 'ram.bin: is the memory of another build than a.elf'
}

# Every kind of ring, of 32 and 64 bits, of firmware and of a process: the outputs agree, and the capture reads again.
test_outputs() {
    for index in 0 1 2 3 4 5 6 7 8 9 10 11; do
        "$pair" $index a.elf ram.bin
        run 0 "$hostlink" dump --elf a.elf ram.bin -o x.kymo -o x.csv -o x.json -o x.pftrace
        tail -n 1 out | grep -qE '^events: emitted [1-9][0-9]* delivered [1-9]' || fail "no events"
        tail -n 1 out >sums
        run 0 "$hostlink" stats --csv x.kymo
        cmp out x.csv || fail "another table"
        run 0 "$hostlink" stats x.kymo
        tail -n 1 out | cmp - sums || fail "other sums"
    done
}

# A core file is of one program, wherever that was.
test_moved() {
    "$pair" 6 moved.elf core
    run 0 "$hostlink" dump --elf moved.elf core -o x.json
    grep -q 'main\.c' x.json || fail "no names"
    run 3 "$hostlink" dump --elf moved.elf core --address 0x20000000
    says 'core: a core file has its addresses in it'
    "$pair" 0 a.elf ram.bin
    run 3 "$hostlink" dump --elf a.elf core
    says 'core: does not hold the address 0x20000000'
    run 3 "$hostlink" dump --elf moved.elf ram.bin
    says 'ram.bin: does not hold the table of sites'
    # With names in the ELF file only, which then must not move.
    cp moved.elf nameless.elf
    printf '\x01' | dd of=nameless.elf bs=1 seek=$((64 + 56 + 58)) conv=notrunc 2>/dev/null
    run 3 "$hostlink" dump --elf nameless.elf core
    says 'nameless.elf: is position independent'
    # The mark says another place than the one where it is.
    printf '\x60' | dd of=core bs=1 seek=$((64 + 3 * 56 + 480 + 17)) conv=notrunc 2>/dev/null
    run 3 "$hostlink" dump --elf moved.elf core
    says 'core: holds no mark of this program'
}

# Events already sent are not in the rings any more.
test_empty() {
    "$pair" 0 a.elf ram.bin
    # Tail and write of both lanes are the same.
    for lane in 256 320; do
        dd if=ram.bin of=ram.bin bs=1 skip=$((lane + 8)) seek=$lane count=8 conv=notrunc 2>/dev/null
    done
    run 4 "$hostlink" dump --elf a.elf ram.bin
    says 'ram.bin: the rings are empty'
}

"test_$3"
