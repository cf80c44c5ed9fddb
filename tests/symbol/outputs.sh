#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One test of call stacks in hostlink's outputs. Usage: outputs.sh HOSTLINK BOARD TEST, where TEST is one of the functions
# test_* below.
. "$(dirname "$0")/../cli/helpers.sh"
rounds=5
outputs='-o x.folded -o x.memory.folded -o x.speedscope.json -o x.pprof -o x.json -o x.pftrace'
names=(--elf "$board" --symbolizer addr2line)
if [ "$3" != core ]; then
    "$board" $rounds >raw
    { printf 'kymo\4\r\n\0' && cat raw; } >x.kymo
fi

# A capture that is replaced while its addresses are looked up: the new one gets no symbols.
test_replaced() {
    cp x.kymo other.kymo
    cp x.kymo same.kymo
    printf '#!/bin/sh\nmv "%s/other.kymo" "%s/x.kymo" 2>/dev/null\nexec addr2line "$@"\n' "$PWD" "$PWD" >replaces
    chmod +x replaces
    run 1 "$hostlink" symbols x.kymo --elf "$board" --symbolizer "$PWD/replaces"
    says '^hostlink: x.kymo: another program replaced it while it was read, so no symbols are added; try again'
    cmp x.kymo same.kymo || fail "the other capture was changed"
}

# shellcheck disable=SC2086
test_files() {
    run 0 "$hostlink" convert -q x.kymo "${names[@]}" $outputs
    run 0 "$hostlink" stats --stacks --csv x.kymo "${names[@]}"
    mv out stacks.csv
    python3 -B "$top/tests/symbol/outputs.py" . $rounds || fail "other stacks"
    run 0 "$hostlink" stats --stacks x.kymo "${names[@]}"
    prints '^ +5 +[0-9.]+ [nu]s +[0-9.]+ [nu]s +work +work \(stacks_board.c:[0-9]+\) < main \(stacks_board.c:[0-9]+\)$'
    prints '^ +5 +320 B +2 +128 B +heap +board_alloc '
}

# Lines from a debug file beside the program, if it is of this build.
test_debug_file() {
    cp "$board" program
    objcopy --only-keep-debug program program.debug
    strip -g program
    objcopy --add-gnu-debuglink=program.debug program
    run 0 "$hostlink" stats --stacks x.kymo --elf program --symbolizer addr2line
    prints ' work \(stacks_board.c:[0-9]+\) < main \(stacks_board.c:[0-9]+\)$'
    objcopy --only-keep-debug "$rebuilt" program.debug
    run 0 "$hostlink" stats --stacks x.kymo --elf program --symbolizer addr2line
    prints ' work < main$'
    ! grep -q stacks_board.c out || fail "lines of another build"
    strip program
    run 3 "$hostlink" stats --stacks x.kymo --elf program
    says_only '^hostlink: program: has no symbol kymo_layout: .* or was stripped; give the file as the linker wrote it$'
}

# The capture stands alone, and only once.
# shellcheck disable=SC2086
test_kept() {
    run 0 "$hostlink" symbols x.kymo "${names[@]}"
    says_only 'x.kymo: symbols of [0-9]+ addresses added, of [0-9]+ call stacks'
    run 0 "$hostlink" convert -q x.kymo $outputs
    [ ! -s err ] || fail "something is said"
    run 0 "$hostlink" stats --stacks --csv x.kymo
    mv out stacks.csv
    python3 -B "$top/tests/symbol/outputs.py" . $rounds || fail "other stacks"
    size=$(stat -c %s x.kymo)
    run 0 "$hostlink" symbols x.kymo "${names[@]}"
    says 'symbols of 0 addresses added'
    [ "$(stat -c %s x.kymo)" -eq "$size" ] || fail "they are in it twice"
    # A capture with --elf has them too.
    run 0 "$hostlink" raw -q "${names[@]}" -o y.kymo
    run 0 "$hostlink" convert -q y.kymo $outputs
    run 0 "$hostlink" stats --stacks --csv y.kymo
    mv out stacks.csv
    python3 -B "$top/tests/symbol/outputs.py" . $rounds || fail "other stacks"
    # One that is cut in them is read as far as it goes.
    head -c $((size - 100)) x.kymo >cut.kymo
    run 0 "$hostlink" convert -q cut.kymo -o z.folded
    run 2 "$hostlink" symbols x.kymo
    run 2 "$hostlink" symbols - --elf "$board"
    run 3 "$hostlink" symbols none.kymo --elf "$board"
}

# Without a file, or with that of another program, there are addresses and no names. So it is with another build that has
# the same places, and lies elsewhere.
test_no_names() {
    run 0 "$hostlink" convert -q x.kymo --elf "$rebuilt" -o x.folded
    says_once 'stacks_other: is not the program that the board runs, so no names are taken from it: it is another build'
    ! grep -q ';main' x.folded || fail "names of another build"
    run 0 "$hostlink" stats --stacks x.kymo
    says_only '^hostlink: functions are shown by their addresses: give the program that ran by --elf IMAGE$'
    run 0 "$hostlink" stats --stacks --elf "$board" x.kymo
    ! has_said 'by their addresses' || fail "they have names"
    run 0 "$hostlink" convert -q x.kymo -o x.folded
    grep -q '^core 0;0x[0-9a-f]*;0x[0-9a-f]*;work [0-9]' x.folded || fail "no addresses"
    run 0 "$hostlink" convert -q x.kymo --elf "$other" -o x.folded
    says_once 'is not the program that the board runs'
    grep -q '^core 0;0x[0-9a-f]*;0x[0-9a-f]*;work [0-9]' x.folded || fail "names of another program"
    run 3 "$hostlink" symbols x.kymo --elf "$other"
    run 0 env KYMO_SYMBOLIZER=none "$hostlink" convert -q x.kymo --elf "$board" -o x.folded
    grep -q ';_ZN4shop4sellEj;sell [0-9]' x.folded || fail "no names of the table of symbols"
    # One warning, however many outputs.
    for program in nowhere /bin/false; do
        run 0 "$hostlink" convert -q x.kymo --elf "$board" --symbolizer $program -o x.folded -o x.pprof
        says_only "$program (cannot be started|has ended): of call stacks only names of functions"
        grep -q '^core 0;main;work;leaf;measure [0-9]' x.folded || fail "no names"
    done
}

# in_modules: the functions, stacks and samples of both modules, each under its own name.
in_modules() {
    prints '^ +1 +50.00 % +1 +50.00 % +step \[engine.so\]$'
    prints '^ +1 +50.00 % +1 +50.00 % +step \[pump.so\]$'
    for of in 'engine 70' 'pump 300'; do
        set -- $of
        grep -q "^core 0;step \[$1.so\] $2$" x.folded || fail "no zone of the function in $1"
        grep -q "^heap;main;run_module;module_run \[$1.so\];board_alloc $2$" x.memory.folded || fail "no stack of $1"
    done
}

# Names of modules at any load address: from the firmware or the user.
test_modules() {
    "$board" 1 "$engine" "$pump" >raw
    for given in "--elf $engine --elf $pump ${names[*]}" "${names[*]} --elf $pump --elf $engine"; do
        run 0 "$hostlink" convert -q raw $given -o x.folded -o x.memory.folded
        run 0 "$hostlink" stats --samples raw $given
        in_modules
    done
    # The capture stands alone.
    run 0 "$hostlink" raw -q --no-tracy "${names[@]}" --elf "$engine" --elf "$pump" -o x.kymo
    run 0 "$hostlink" convert -q x.kymo -o x.folded -o x.memory.folded
    run 0 "$hostlink" stats --samples x.kymo
    in_modules
    run 0 "$hostlink" lines raw "${names[@]}" --elf "$engine" --elf "$pump"
    prints '^ +1 +50.00 % +step \[pump.so\]$'
    # Modules loaded elsewhere earlier stay known; two modules at one address are reported once.
    BOARD_SWAPS=1 "$board" 1 "$engine" "$pump" >raw
    run 0 "$hostlink" convert -q raw "${names[@]}" --elf "$engine" --elf "$pump" -o x.folded -o x.memory.folded
    run 0 "$hostlink" stats --samples raw "${names[@]}" --elf "$engine" --elf "$pump"
    in_modules
    says_once 'the firmware loaded both to the same addresses'
    BOARD_QUIET=1 "$board" 1 "$engine" "$pump" >raw 2>places
    { read -r one && read -r two; } <places
    run 0 "$hostlink" convert -q raw "${names[@]}" --elf "$engine@$one" -o x.folded --elf "$pump@$two" -o x.memory.folded
    run 0 "$hostlink" stats --samples raw "${names[@]}" --elf "$engine@$one" --elf "$pump@$two"
    in_modules
    # Impossible modules.
    run 0 "$hostlink" stats --samples raw "${names[@]}" --elf "$engine@$one" --elf "$pump"
    says_once 'pump.so: nothing says where it was loaded, so its functions have no names: give'
    run 3 "$hostlink" stats raw "${names[@]}" --elf "$engine@$one" --elf "$pump@$one"
    says_only 'engine.so and .*pump.so: both have code at the same addresses'
    run 3 "$hostlink" stats raw "${names[@]}" --elf "$board"
    says_only 'both have a recorder'
    run 3 "$hostlink" stats raw --elf "$engine@$one"
    says_only 'engine.so: has no symbol kymo_layout'
    cp "$engine" x.csv
    run 2 "$hostlink" convert raw "${names[@]}" --elf x.csv@0x1000000 -o x.csv
}

# A position-independent program, from its core file: loaded elsewhere than it was linked for.
# shellcheck disable=SC2086
test_core() {
    timeout 900 gdb -nx -batch -ex "run $rounds" -ex "generate-core-file core" "$board" >gdb.out 2>&1
    [ -s core ] || fail "no core file: $(tail -n 3 gdb.out)"
    run 0 "$hostlink" dump -q core "${names[@]}" $outputs -o y.kymo
    run 0 "$hostlink" stats --stacks --csv y.kymo
    mv out stacks.csv
    python3 -B "$top/tests/symbol/outputs.py" . $rounds || fail "other stacks"
}

other=${4:-} engine=${5:-} pump=${6:-} rebuilt=${7:-}
"test_$3" && echo "passed"
