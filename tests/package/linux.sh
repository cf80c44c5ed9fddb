#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example of doc/linux.md as it stands: built by the compiler's default, which is position independent, run, and its
# sampled function known by name; by a file and by TCP. Usage: linux.sh HOSTLINK
set -u
hostlink=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

fail() {
    echo "$1"
    exit 1
}
# block LANGUAGE: the code blocks of that language after the heading.
block() { sed -n '/^## With hostlink/,$p' doc/linux.md | sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" | grep -v '^```'; }

block c >"$work/main.c"
{
    echo 'cmake_minimum_required(VERSION 3.20)'
    echo 'project(mine LANGUAGES C)'
    block cmake | sed "s|^add_subdirectory(kymo)|add_subdirectory($top kymo)|"
    # The same program, linked to a fixed place.
    echo 'add_executable(fixed main.c)'
    echo 'target_link_libraries(fixed PRIVATE kymo_here -no-pie)'
    echo 'target_compile_options(fixed PRIVATE -O2 -fno-omit-frame-pointer)'
} >"$work/CMakeLists.txt"
{ cmake -G Ninja -S "$work" -B "$work" && cmake --build "$work" --target my_program fixed; } >"$work/log" 2>&1 ||
    fail "$(tail -n 30 "$work/log")"
readelf -h "$work/my_program" | grep -q 'Type: *DYN' || fail "the compiler's default is not position independent"
cd "$work" || exit 1
KYMO_TRACE=./trace.kymo timeout 900 ./my_program || fail "the program failed"
"$hostlink" stats --samples --elf my_program trace.kymo >said 2>&1 && grep -qw step said || fail "by a file: $(cat said)"
says() { grep -q "$1" said || fail "'$1' is not said: $(cat said)"; }
# Another file is refused by where its places are.
"$hostlink" stats --samples --elf fixed trace.kymo >said 2>&1
says 'fixed: is not the program that the board runs, .*: it is another build; give the ELF file'
grep -qw step said && fail "names of another build"
# Without INFO packets the program's load address is unknown.
python3 "$top/tests/cli/drop_packets.py" 9 <trace.kymo >nowhere.kymo
"$hostlink" stats --samples --elf my_program nowhere.kymo >said 2>&1
says 'my_program: is position independent, and the board does not say where it was loaded'
grep -qw step said && fail "names by a place that nobody told"
# Started again, it is loaded elsewhere; outputs ask for names at the end.
KYMO_TRACE=./again.kymo timeout 900 ./my_program || fail "the program failed"
cat trace.kymo again.kymo >both.kymo
"$hostlink" stats --samples --elf my_program both.kymo >said 2>&1
# One run alone would have half of the samples.
grep -qE '(9[0-9]\.[0-9]+|100\.00) %  step$' said || fail "not both runs have names: $(cat said)"
KYMO_TRACE=0 KYMO_WAIT=1 timeout 900 ./my_program 2>program.err &
program=$!
port=
for _ in $(seq 500); do
    port=$(ss -Hltnp 2>/dev/null | sed -n "s/.*127.0.0.1:\([0-9]*\) .*my_program.*/\1/p" | head -n 1)
    [ -z "$port" ] || break
    sleep 0.02
done
[ -n "$port" ] || fail "it does not listen: $(cat program.err)"
timeout 900 "$hostlink" --elf my_program "tcp:127.0.0.1:$port" -o t.kymo >said 2>&1 || fail "by TCP: $(cat said)"
wait $program || fail "the program failed"
# The names are in the capture then.
"$hostlink" stats --samples t.kymo >said 2>&1 && grep -qw step said || fail "by TCP no name: $(cat said)"
