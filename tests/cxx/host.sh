#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unit.cxx: the program of C++ as the compilers and linkers of this machine make it, at levels of optimisation that place
# functions and their sites differently: sites are where the recorder looks for them, and have the right names.
# Usage: host.sh HOSTLINK
set -u
hostlink=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
freestanding_as_one "$work/runtime.c"
flags=(-Wall -Wextra -Wpedantic -Werror -Wno-unused-command-line-argument -DKYMO_LANES=2 -DKYMO_RING_BYTES=65536
    -Iruntime/include -Iports/transport -Iports/arch/posix -Itests/cxx)
programs=(tests/cxx/{workload,second,arguments,host}.cpp)

# build NAME COMPILER "C++ COMPILER" OPTION ...: $work/NAME/program
build() {
    local out=$work/$1 source object shared
    mkdir "$out" || return 1
    for source in "$work/runtime.c" ports/arch/posix/arch.c ports/transport/posix_fd.c tests/cxx/plain.c; do
        object=$out/$(basename "$source").o
        # This is about the program: where the linker sees all, and with names elsewhere, the recorder is compiled with it.
        case "$source ${*:4}" in
        *-flto* | *NAMES=0* | *plain.c\ *) "$2" -std=c11 "${flags[@]}" "${@:4}" -c "$source" -o "$object" || return 1 ;;
        *)
            shared=$work/$2-$(basename "$source").o
            [ -e "$shared" ] || "$2" -std=c11 "${flags[@]}" -O1 -c "$source" -o "$shared" || return 1
            cp "$shared" "$object"
            ;;
        esac
    done
    for source in "${programs[@]}"; do
        "$3" "${flags[@]}" -fno-exceptions -fno-rtti "${@:4}" -c "$source" -o "$out/$(basename "$source").o" || return 1
    done
    "$3" "${flags[@]}" "${@:4}" "$out"/*.o -pthread -o "$out/program"
}

# try NAME ...: as build. With KYMO_NAMES 0 the names come from the program's file.
try() {
    local out=$work/$1 elf=
    case " $* " in *' -DKYMO_NAMES=0 '*) elf="--elf $out/program" ;; esac
    build "$@" >"$work/$1.log" 2>&1 || {
        echo "$1: does not build: $(grep -E 'error|warning|undefined' "$work/$1.log" | head -n 5)"
        return 1
    }
    # shellcheck disable=SC2086
    timeout 900 "$out/program" >"$out/out.kymo" &&
        "$hostlink" convert "$out/out.kymo" $elf -o "$out/demo.csv" -o "$out/demo.json" >"$out/capture.out" 2>&1 &&
        python3 -B tests/cxx/expected.py "$out" || {
        echo "$1: wrong: $(tail -n 3 "$out/capture.out")"
        return 1
    }
    echo "$1"
}
export work hostlink
export -f try build
# A position-independent program cannot have its names elsewhere; so is gcc's and clang's default here.
no_names='-DKYMO_NAMES=0 -fno-pie -no-pie -Wl,-T,runtime/kymo_elf.ld'
small='-ffunction-sections -fdata-sections -Wl,--gc-sections'
try_all() {
    local name compiler options
    while IFS='|' read -r name compiler options; do
        read -ra words <<<"$compiler $options"
        try "${name// /}" "${words[@]}" || exit 1
    done
}
status=0
try_all <<TEXT &
gcc-O0          |gcc g++|-O0
gcc-O2          |gcc g++|-O2
gcc-lto         |gcc g++|-O2 -flto
gcc-small       |gcc g++|-Os $small
gcc-names-O0    |gcc g++|-O0 $no_names
gcc-names       |gcc g++|-O2 $no_names $small
TEXT
try_all <<TEXT || status=1
clang-O0        |clang clang++|-O0
clang-O2        |clang clang++|-O2
clang-lto       |clang clang++|-O2 -flto -fuse-ld=lld
clang-small     |clang clang++|-Os $small -fuse-ld=lld
clang-names     |clang clang++|-O2 $no_names $small
TEXT
wait $! || status=1
exit $status
