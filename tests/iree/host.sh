#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unit.iree: every macro of IREE's tracing interface, in C and C++, in each mode, built as IREE's own build has it, with
# threads as its executor's. What the programs do is what hostlink shows; what they do wrong is a message, and nothing
# breaks; in mode 0 nothing of kymo is left. Usage: host.sh HOSTLINK TRACY_VIEWER
set -u
hostlink=$(realpath "$1")
viewer=$(realpath "$2")
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0

wrong() {
    echo "$1"
    status=1
}

# build NAME OPTION ...
build() {
    cmake -S tests/iree/project -B "$work/$1" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "${@:2}" >"$work/$1.log" 2>&1 &&
        cmake --build "$work/$1" >>"$work/$1.log" 2>&1 && return
    wrong "$1: does not build: $(grep -E 'error|Error|warning|undefined' "$work/$1.log" | head -n 5)"
    return 1
}

# convert FOLDER STREAM NAME FOLDER_OF_FILES
convert() {
    mkdir "$1/$4" && "$hostlink" convert "$2" -o "$1/$3.events.csv" -o "$1/$3.json" --large "$1/$4" >"$1/$3.out" 2>&1
}

# traced NAME MODE OPTION ...
traced() {
    build "$1" -DIREE_ENABLE_RUNTIME_TRACING=ON "-DCMAKE_PROJECT_IREE_INCLUDE=${iree:-$PWD/cmake/iree.cmake}" \
        -DIREE_TRACING_PROVIDER=kymo_iree -DIREE_TRACING_PROVIDER_H=kymo/iree.h "-DIREE_TRACING_MODE=$2" -DKYMO_WERROR=ON \
        "${@:3}" || return
    grep -q 'KYMO_FULL_WAIT_MS=1000' "$work/$1/build.ninja" || wrong "$1: threads do not wait for room"
}

# try NAME MODE OPTION ...: with hostlink.
try() {
    local out=$work/$1
    traced "$@" -DKYMO_IREE_TRANSPORTS=iree_posix || return
    KYMO_TRACE=$out/wire timeout 900 "$out/program" 2>"$out/said" && convert "$out" "$out/wire" demo large ||
        wrong "$1: $(tail -n 3 "$out/said" "$out/demo.out")"
    python3 -B tests/iree/expected.py "$out" "$2" || wrong "$1: counts"
    KYMO_TRACE=$out/wire2 timeout 900 "$out/program" wrong 2>"$out/said" && convert "$out" "$out/wire2" wrong many ||
        wrong "$1: $(tail -n 3 "$out/said" "$out/wrong.out")"
    python3 -B tests/iree/wrong.py "$out" 1024 || wrong "$1: wrong uses"
    echo "$1"
}

# By TCP, from a program that waits for its host and says neither that it begins nor that it ends.
over_tcp() {
    local out=$work/$1 port
    port=$(kymo_free_port)
    KYMO_TRACE=$port KYMO_WAIT=1 timeout 900 "$hostlink" run "tcp:127.0.0.1:$port" --no-tracy -q -o "$out/tcp.kymo" -o "$out/tcp.events.csv" \
        -- "$out/program" quiet >"$out/tcp.out" 2>&1 || wrong "by TCP: $(tail -n 3 "$out/tcp.out")"
    grep -qE '^events: emitted ([0-9]+) delivered \1 lost 0$' "$out/tcp.out" &&
        [ "$(grep -c ',zone begin,round,' "$out/tcp.events.csv")" -eq 600 ] || wrong "by TCP: $(tail -n 3 "$out/tcp.out")"
}

# Runs a program as users of Tracy's own client do: it ends when a viewer has taken all.
for_viewers() {
    local out=$work/client port program
    traced client 4 $quick || return
    port=$(kymo_free_port)
    TRACY_PORT=$port TRACY_NO_EXIT=1 timeout 900 "$out/program" 2>"$out/said" &
    program=$!
    timeout 900 "$viewer" "$port" 82 both >"$out/viewed" 2>"$out/viewer.err" || wrong "for viewers: $(tail -n 1 "$out/viewer.err")"
    wait $program || wrong "for viewers: the program ended with $?: $(tail -n 3 "$out/said")"
    python3 -B tests/iree/expected.py "$out" 4 viewed || wrong "for viewers: counts"
    grep -q ' 1 source files$' "$out/viewer.err" || wrong "for viewers: $(cat "$out/viewer.err")"
}

# Tracy's settings mean nothing to a program that sends to hostlink.
warned() {
    KYMO_TRACE=$work/$1/wire3 TRACY_NO_EXIT=1 timeout 900 "$work/$1/program" quiet 2>"$work/said"
    grep -q '^kymo: TRACY_NO_EXIT has no effect: .* KYMO_WAIT=1' "$work/said" || wrong "no warning: $(cat "$work/said")"
    KYMO_TRACE=trace timeout 900 "$work/$1/program" quiet 2>"$work/said"
    grep -q '^kymo: no trace is sent: KYMO_TRACE=trace .* \./trace$' "$work/said" || wrong "a name as address: $(cat "$work/said")"
}

# A program that ends by _exit().
flushed() {
    local out=$work/$1
    KYMO_TRACE=$out/left timeout 900 "$out/program" leaves 2>"$work/said" &&
        "$hostlink" convert "$out/left" -o "$out/left.events.csv" >"$out/left.out" 2>&1 &&
        [ "$(grep -c ',zone begin,round,' "$out/left.events.csv")" -eq 600 ] || wrong "flushed: $(cat "$work/said" "$out/left.out")"
}

# Threads that IREE names are sampled, at the most that was built in.
sampled() {
    local out=$work/$1
    KYMO_TRACE=$out/busy timeout 900 "$out/program" busy 2>"$work/said" &&
        "$hostlink" convert "$out/busy" -o "$out/busy.events.csv" >"$out/busy.out" 2>&1 &&
        grep -q '^[^,]*,[^,]*,iree-worker-0,sample,' "$out/busy.events.csv" || wrong "sampled: $(cat "$work/said" "$out/busy.out")"
}

# The rings are 256 MiB, of which a thread takes what it fills.
without_memory() {
    (
        ulimit -v 262144
        KYMO_TRACE=$work/$1/wire4 timeout 900 "$work/$1/program" quiet 2>"$work/said"
    ) || wrong "without memory: it ended with $?"
    [ "$(grep -c '^kymo: no memory for the rings' "$work/said")" -eq 1 ] || wrong "without memory: $(cat "$work/said")"
    (
        ulimit -v 262144
        KYMO_TRACE=off timeout 900 "$work/$1/program" quiet 2>"$work/said"
    ) && [ ! -s "$work/said" ] || wrong "switched off: $(cat "$work/said")"
}

build off
nm "$work/off/program" | grep -i kymo && wrong 'mode 0: something of kymo is left'
# Mode 4 as a user builds it. Elsewhere C code is not optimised, in half the time.
quick=-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O0
try mode1 1 $quick
try mode2 2 $quick
try mode4 4
over_tcp mode2
warned mode2
without_memory mode2
for_viewers
try clang_sanitized 4 $quick -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all' \
    -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all'
try debug 3 -DCMAKE_BUILD_TYPE=Debug -DKYMO_IREE_DEFINITIONS=KYMO_SAMPLE_HZ_MAX=1000
sampled debug
flushed debug
exit $status
