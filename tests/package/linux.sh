#!/usr/bin/env bash
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
# block LANGUAGE: the code blocks of that language behind the heading.
block() { sed -n '/^## With hostlink/,$p' doc/linux.md | sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" | grep -v '^```'; }

block c >"$work/main.c"
{
    echo 'cmake_minimum_required(VERSION 3.20)'
    echo 'project(mine LANGUAGES C)'
    block cmake | sed "s|^add_subdirectory(kymo)|add_subdirectory($top kymo)|"
} >"$work/CMakeLists.txt"
{ cmake -G Ninja -S "$work" -B "$work" && cmake --build "$work" --target my_program; } >"$work/log" 2>&1 ||
    fail "$(tail -n 30 "$work/log")"
readelf -h "$work/my_program" | grep -q 'Type: *DYN' || fail "the compiler's default is not position independent"
cd "$work" || exit 1
KYMO_TRACE=./trace.kymo timeout 100 ./my_program || fail "the program failed"
"$hostlink" stats --samples --elf my_program trace.kymo >said 2>&1 && grep -qw step said || fail "by a file: $(cat said)"
KYMO_TRACE=0 KYMO_WAIT=1 timeout 100 ./my_program 2>program.err &
program=$!
port=
for _ in $(seq 500); do
    port=$(ss -Hltnp 2>/dev/null | sed -n "s/.*127.0.0.1:\([0-9]*\) .*my_program.*/\1/p" | head -n 1)
    [ -z "$port" ] || break
    sleep 0.02
done
[ -n "$port" ] || fail "it does not listen: $(cat program.err)"
timeout 100 "$hostlink" --elf my_program "tcp:127.0.0.1:$port" -o t.kymo >said 2>&1 || fail "by TCP: $(cat said)"
wait $program || fail "the program failed"
# The names are in the capture then.
"$hostlink" stats --samples t.kymo >said 2>&1 && grep -qw step said || fail "by TCP no name: $(cat said)"
