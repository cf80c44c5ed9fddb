#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unit.tracy: the programs of Tracy's markup as the compilers of this machine make them. What they record is in every
# output, and a viewer of every protocol gets it, in number and order; what they do wrong is a message, and nothing breaks.
# Usage: host.sh HOSTLINK TRACY_VIEWER
set -u
hostlink=$(realpath "$1")
viewer=$(realpath "$2")
cd "$(dirname "$0")/../.." || exit 1
. tests/e2e/begin.sh
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
freestanding_as_one "$work/runtime.c"
flags=(-Wall -Wextra -Wpedantic -Werror -Wno-unused-command-line-argument -Wno-unknown-warning-option -DKYMO_LANES=2
    -DKYMO_RING_BYTES=65536 -DKYMO_TRACY=1 -DKYMO_DYNAMIC_SITES=64 -DKYMO_LARGE=2 -DKYMO_TRACY_IMAGE=1024
    -DTRACY_ENABLE
    -Iruntime/include -Iports/transport -Iports/arch/posix -Itests/tracy)

# build FOLDER COMPILER "C++ COMPILER" OPTION ...
build() {
    local out=$1 source
    mkdir "$out" || return 1
    for source in "$work/runtime.c" ports/arch/posix/arch.c ports/transport/posix_fd.c tests/tracy/{host,markup}.c; do
        "$2" -std=c11 "${flags[@]}" "${@:4}" -c "$source" -o "$out/$(basename "$source").o" || return 1
    done
    for source in tests/tracy/{markup,wrong}.cpp; do
        "$3" -std=c++11 "${flags[@]}" -fno-exceptions -fno-rtti "${@:4}" -c "$source" \
            -o "$out/$(basename "$source").o" || return 1
    done
    "$3" "${flags[@]}" "${@:4}" "$out"/*.o -pthread -o "$out/program"
}

# serve FOLDER PROTOCOL [--elf PROGRAM]: its capture to a viewer.
serve() {
    local port server
    port=$(kymo_free_port)
    "$hostlink" serve "$1/board" "${@:3}" -q --timeout 900 --tracy "$port" >"$1/serve.out" 2>&1 &
    server=$!
    "$viewer" "$port" "$2" all >"$1/$2.tracy" 2>"$1/viewer.out" || { cat "$1/viewer.out"; return 1; }
    wait $server || { cat "$1/serve.out"; return 1; }
}

# try NAME COMPILER "C++ COMPILER" OPTION ...
try() {
    local out=$work/$1 protocol elf=()
    case " $* " in *' -DKYMO_NAMES=0 '*) elf=(--elf "$out/program") ;; esac
    build "$out" "${@:2}" >"$work/$1.log" 2>&1 || {
        echo "$1: does not build: $(grep -E 'error|warning|undefined' "$work/$1.log" | head -n 5)"
        return 1
    }
    timeout 900 "$out/program" >"$out/board" &&
        "$hostlink" convert "$out/board" "${elf[@]}" -o "$out/demo.csv" -o "$out/demo.events.csv" \
            -o "$out/demo.json" >"$out/capture.out" 2>&1 || { echo "$1: $(tail -n 3 "$out/capture.out")"; return 1; }
    for protocol in ${protocols:-82}; do
        serve "$out" $protocol "${elf[@]}" || return 1
    done
    python3 -B tests/tracy/expected.py "$out" || return 1
    timeout 900 "$out/program" wrong >"$out/wrong" &&
        "$hostlink" convert "$out/wrong" "${elf[@]}" -o "$out/wrong.events.csv" >"$out/wrong.out" 2>&1 &&
        python3 -B tests/tracy/wrong.py "$out" || { echo "$1: wrong uses"; return 1; }
    echo "$1"
}
protocols='63 64 66 69 74 76 82' try gcc-O0 gcc g++ -O0 &&
    try gcc-O2 gcc g++ -O2 && try gcc-sanitized gcc g++ -O1 -fsanitize=address,undefined -fno-sanitize-recover=all && try gcc-lto gcc g++ -O2 -flto && try clang-O0 clang clang++ -O0 &&
    try clang-O2 clang clang++ -O2 &&
    try gcc-names gcc g++ -O2 -DKYMO_NAMES=0 -fno-pie -no-pie -Wl,-T,runtime/kymo_elf.ld
