#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of "hostlink lines". Usage: lines.sh HOSTLINK BOARD TEST OTHER: OTHER is the program of another board, TEST a
# function test_* below.
. "$(dirname "$0")/../cli/helpers.sh"
other=$4
{ printf 'kymo\4\r\n\0' && "$board"; } >x.kymo
names=(--elf "$board" --symbolizer addr2line)
source=$top/tests/lines/lines_board.c
hot=$(grep -n '^void hot(void) {' "$source" | cut -d : -f 1)
cold=$(grep -n '^void cold(void) {' "$source" | cut -d : -f 1)

test_source() {
    run 0 "$hostlink" lines x.kymo "${names[@]}"
    prints '^ +30 +66\.67 % +hot$'
    prints '^ +10 +22\.22 % +cold$'
    prints '^ +5 +11\.11 % +\(not known\)$'
    prints "^ +30 +66\\.67 % +$hot  void hot\\(void\\) \\{\$"
    prints "^ +10 +22\\.22 % +$cold  void cold\\(void\\) \\{\$"
    prints "^ +$((hot + 1))      after\\+\\+;\$"
    prints '^samples: 45 taken, 1 missed, 0 without an address$'
    says '^hostlink: 5 samples lie where .* knows no line: compile that code with -g$'
    grep -q fake.clock out && fail "it prints what is far from all samples"
    # The same from a capture that has its symbols.
    run 0 "$hostlink" symbols x.kymo "${names[@]}"
    run 0 "$hostlink" lines x.kymo
    prints "^ +30 +66\\.67 % +$hot  void hot\\(void\\) \\{\$"
    says '^hostlink: 5 samples lie where no line is known: give the program by --elf IMAGE$'
}

test_csv() {
    run 0 "$hostlink" lines --csv x.kymo "${names[@]}" --instructions --objdump objdump
    python3 - "$hot" "$cold" <<'END' || fail "another table"
import csv, sys
rows = list(csv.DictReader(open("out", newline="", encoding="utf-8")))
of = lambda what: {(row["function"], row["line"]): int(row["samples"]) for row in rows if row["what"] == what}
assert of("function") == {("hot", ""): 30, ("cold", ""): 10, ("(not known)", ""): 5}, rows
assert of("line") == {("hot", sys.argv[1]): 30, ("cold", sys.argv[2]): 10, ("(not known)", "0"): 5}, rows
assert of("instruction") == {("hot", ""): 30, ("cold", ""): 10}, rows
assert all(row["text"] and int(row["address"], 16) for row in rows if row["what"] == "instruction"), rows
END
}

test_instructions() {
    run 0 "$hostlink" lines x.kymo "${names[@]}" --instructions
    prints '^ +30 +66\.67 % +[0-9a-f]+  [a-z]'
    # The samples met the first one.
    [ "$(sed -n '/^hot$/{n;p}' out | awk '{ print $1 }')" = 30 ] || fail "samples at another instruction"
    [ "$(sed -n '/^hot$/,/^$/p' out | grep -c '^ \{19\}  [ 0-9a-f]* ')" -ge 2 ] || fail "no instructions without samples"
    run 2 "$hostlink" lines x.kymo --instructions
    says 'instructions are in the program: name it by --elf IMAGE'
    for program in nowhere /bin/true /bin/false; do
        run 1 "$hostlink" lines x.kymo "${names[@]}" --objdump $program
        says "^hostlink: $program (cannot be started|shows no instruction of this file|has ended): no instructions of"
        prints "void hot\\(void\\)"
    done
}

# Only source code is read, and errors are reported.
test_wrong() {
    mkdir empty
    run 0 "$hostlink" lines x.kymo "${names[@]}" --source empty
    prints 'lines_board.c, which cannot be read: No such file or directory$'
    prints "^ +30 +66\\.67 % +$hot\$"
    mkdir -p there && sed 's/after++/AFTER++/' "$source" >there/lines_board.c
    run 0 "$hostlink" lines x.kymo "${names[@]}" --source there
    prints 'AFTER\+\+'
    printf 'void\033[31m x;\n\nlast' >there/lines_board.c
    run 0 "$hostlink" lines x.kymo "${names[@]}" --source there
    grep -q "$(printf '\033')" out && fail "what upsets a terminal is printed"
    prints "^ +30 +66\\.67 % +$hot\$"
    run 0 env KYMO_SYMBOLIZER=none "$hostlink" lines x.kymo --elf "$board"
    prints '^ +30 +66\.67 % +hot$'
    prints '^ +45 +100\.00 % +in functions whose lines are not known$'
    run 3 "$hostlink" lines x.kymo --elf "$other"
    run 3 "$hostlink" lines none.kymo
    run 3 "$hostlink" lines x.kymo --elf none.elf
    run 2 "$hostlink" lines
    { printf 'kymo\4\r\n\0' && "$board" none; } >none.kymo
    run 0 "$hostlink" lines none.kymo "${names[@]}"
    prints '^no sample was seen'
    [ ! -s err ] || fail "something is said"
    printf 'kymo\4\r\n\0' >void.kymo
    run 4 "$hostlink" lines void.kymo
}

"test_$3"
