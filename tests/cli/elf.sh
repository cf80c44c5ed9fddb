#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of the option --elf. Usage: elf.sh HOSTLINK BOARD TEST, where TEST is one of the functions test_* below; beside
# BOARD, which does not send its names, are its other builds (CMakeLists.txt).
. "$(dirname "$0")/helpers.sh"

hint='the board does not send its names: give its ELF file by --elf IMAGE'

# has_zone FILE WORD: this table has the zone of that name.
has_zone() { grep -qE "^$2 +[0-9]" "$1" || fail "no zone $2"; }

test_devices() {
    run 3 "$hostlink" stats x.kymo --elf /dev/zero
    says_only '^hostlink: /dev/zero: is a device: give the ELF file of the program'
    objcopy --only-keep-debug "$board" board.debug
    run 3 "$hostlink" stats x.kymo --elf board.debug
    says_only "^hostlink: board.debug: has symbols only, as a file of 'objcopy --only-keep-debug'"
}

test_files() {
    "$board" -n 10 >raw 2>/dev/null
    for command in "stats raw" "info raw" "convert raw -o x.csv" "serve raw" "capture raw"; do
        run 3 "$hostlink" $command --elf nothing.elf
        says_only 'nothing.elf: cannot be read: No such file'
    done
    run 2 "$hostlink" stats raw --elf
    says "'--elf' needs an argument"
    head -c 5000 /dev/urandom >noise
    run 3 "$hostlink" stats raw --elf noise
    says_only 'noise: is not an ELF file: give the program'
    cp "$board" stripped
    strip stripped
    run 3 "$hostlink" stats raw --elf stripped
    says_only 'stripped: has no symbol kymo_layout'
    head -c $(($(stat -c %s "$board") - 1)) "$board" >cut
    run 3 "$hostlink" stats raw --elf cut
    says_only 'cut: is cut short: .*; copy it again'
    cp "$BASH" other
    run 3 "$hostlink" stats raw --elf other
    says_only 'other: has no symbol kymo_layout'
    # A word of the header is no class or byte order any more.
    cp "$board" big && printf '\x02' | dd of=big bs=1 seek=5 conv=notrunc 2>/dev/null
    run 3 "$hostlink" stats raw --elf big
    says_only 'big: .*big-endian'
}

# A stream without names, which every command is given the file for.
test_file() {
    "$board" -n 100 >raw 2>/dev/null
    run 0 "$hostlink" stats raw
    says "$hint"
    has_zone out 'site [0-9]+'
    run 0 "$hostlink" stats raw -e "$board"
    grep -q "$hint" err && fail "names are missed that were given"
    has_zone out round
    has_zone out inner
    counts 100
    run 0 "$hostlink" info raw --elf "$board"
    prints '^sites +4 with names, 0 used without'
    run 0 "$hostlink" convert raw --elf "$board" -o x.csv -o x.json
    grep -q '^inner,' x.csv || fail "no zone inner in the CSV"
    grep -q '"round 99"' x.json || fail "no message, or its format is missing"
    grep -q 'board.c' x.csv || fail "no file in the CSV"
}

# The capture stands alone.
test_capture() {
    start_board -n 100
    run 0 "$hostlink" "$device" -q --no-tracy --elf "$board" -o x.kymo -o x.csv
    has_zone out round
    grep -q '^inner,' x.csv || fail "no zone inner in the CSV"
    run 0 "$hostlink" stats x.kymo
    [ ! -s err ] || fail "something is said"
    has_zone out round
    counts 100
    run 0 "$hostlink" x.kymo --no-tracy
    ! has_said 'names?:' || fail "names are missed that are in the capture"
    "$board" -n 100 >raw 2>/dev/null
    run 0 "$hostlink" raw -q --elf "$board" -o y.kymo
    run 0 "$hostlink" stats --csv y.kymo
    grep -q '^round,' out || fail "no zone round in a capture of a file"
}

# The names come after a packet that the end of the capture has cut: that is no damage, and what is damage remains it.
test_cut() {
    "$board" -n 100 >raw 2>/dev/null
    head -c $(($(stat -c %s raw) / 2)) raw >cut
    run 0 "$hostlink" cut -q --no-tracy --elf "$board" -o x.kymo
    ! has_said 'damaged' || fail "a packet that was cut is damage"
    run 0 "$hostlink" info x.kymo
    prints ', 0 damaged, 0 B outside of packets'
    prints '^sites +4 with names'
    { cat raw; printf '\001\377\002\376\003\0'; } >damaged
    run 0 "$hostlink" damaged -q --no-tracy --elf "$board" -o x.kymo
    says '^hostlink: 1 damaged packet, '
    run 0 "$hostlink" info x.kymo
    prints ', 1 damaged, '
}

# Nothing of a board without a rate is checked before the rate is known, or the end comes.
test_short() {
    start_board -r -n 10 -c -k
    start_hostlink "$device" -q --no-tracy --elf "$board" -o x.kymo
    await bigger_than x.kymo 300
    stop_hostlink
    run 0 "$hostlink" stats x.kymo
    has_zone out round
}

test_killed() {
    start_board -n 0
    start_hostlink "$device" -q --no-tracy --elf "$board" -o x.kymo
    await bigger_than x.kymo 3000
    kill -9 "$hostlink_pid"
    run 0 "$hostlink" stats x.kymo
    has_zone out round
}

# Told at the start, and with what it means at the end.
test_missed() {
    start_board -n 0
    start_hostlink "$device" --no-tracy -o x.kymo
    await has_said "^hostlink: $hint"
    await bigger_than x.kymo 3000
    stop_hostlink
    says_once "^hostlink: $hint"
    says_once "[0-9] events? without a name: $hint"
}

# Told once, in one line, and no name of it is used.
test_wrong_image() {
    "$board" -n 100 >raw 2>/dev/null
    run 0 "$hostlink" stats raw --elf "${board}_rebuilt"
    says_once "elf_board_rebuilt: is not the program that the board runs, so no names are taken from it: it is another build; give the ELF file of the program that the board runs now$"
    says_once '[0-9] events? without a name: the board does not send its names, and the file of --elf is not of its program$'
    ! has_said "$hint" || fail "it asks for a file that was given"
    has_zone out 'site [0-9]+'
    run 0 "$hostlink" stats raw --elf "${board}_more"
    says_once 'elf_board_more: is not .*: it has 5 sites, the board.s has 4'
    run 0 "$hostlink" stats raw --elf "${board}_named"
    says_once 'elf_board_named: is not .*: it is another build'
    start_board -n 100
    run 0 "$hostlink" "$device" -q --no-tracy --elf "${board}_rebuilt" -o x.kymo
    says_once 'elf_board_rebuilt: is not the program'
    run 0 "$hostlink" stats x.kymo --elf "$board"
    has_zone out round
    grep -q circle x.kymo && fail "names of another build are in the capture"
    counts 100
}

# A board that sends its names, and its own ELF file.
test_agreed() {
    "${board}_named" -n 100 >raw 2>/dev/null
    run 0 "$hostlink" stats raw --elf "${board}_named"
    grep -v 'read as the raw bytes' err && fail "something is said"
    has_zone out round
    # Without SITES packets.
    python3 "$top/tests/cli/drop_packets.py" 2 <raw >nameless
    run 0 "$hostlink" stats nameless
    has_zone out 'site [0-9]+'
    run 0 "$hostlink" stats nameless --elf "${board}_named"
    has_zone out round
}

# Names that the board sends win.
test_others() {
    "${board}_named" -n 100 >raw 2>/dev/null
    run 0 "$hostlink" stats raw --elf "${board}_renamed"
    says_once 'elf_board_renamed: is not the program that the board runs, so no names are taken from it: the board has others'
    has_zone out round
    grep -q circle out && fail "a name of another build"
    run 0 "$hostlink" raw -q --elf "${board}_renamed" -o x.kymo
    run 0 "$hostlink" stats x.kymo
    has_zone out round
}

# The names in the file are those that the board's other build sends.
test_board_names() {
    "$board" -n 100 >raw 2>/dev/null
    "${board}_named" -n 100 >named 2>/dev/null
    "$hostlink" stats --csv raw --elf "$board" 2>/dev/null | cut -d, -f1,3,4 | sort >ours
    "$hostlink" stats --csv named 2>/dev/null | cut -d, -f1,3,4 | sort >theirs
    [ "$(wc -l <ours)" -eq 3 ] || fail "not two zones"
    diff ours theirs || fail "other names, files or lines"
}

"test_$3" && echo "passed"
