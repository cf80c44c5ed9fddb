#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# kymo leaves a firmware's own symbols alone. Every source that a firmware compiles, by every compiler of compilers.sh, at
# the levels of optimisation that differ most, with and without -ffreestanding:
#   - defines no symbol without the prefix kymo_, and
#   - calls nothing that a firmware may lack: memcpy() and its like, or helpers of the compiler's library.
# ports/nolibc/mem.c, which defines the memcpy family on purpose, needs nothing, so that it cannot call itself; and it
# runs, compiled with the options by which compilers make it call itself.
# Usage: symbols.sh [TARGET ...]: of compilers.sh, each source at every level. Without arguments it takes pairs, not the
# whole product, which would take ten times as long:
#   - every source by itself, on a core of 32 bits by gcc and on one of 64 bits by clang: -O2;
#   - the runtime as one source and the transports, on the core with the most helpers of each compiler: every level, two of
#     them hosted;
#   - the transports alone on three cores: one of each family that is left, and one without atomics.
# link.sh looks at the runtime on every core, at the smallest level, where compilers call most, and with -O2; stack.sh at
# ports/usb and ports/net.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
every_level_on=" ${*:-gcc-cortex-m4 clang-cortex-m4} "
every_source_on=" ${*:-gcc-rv32 clang-aarch64} "
transports_on="$every_level_on$every_source_on ${*:-gcc-rv32-no-a gcc-armv7-a gcc-i386} "
only=${*:+" $* "}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
# Flags without -ffreestanding. gcc may have no C library, whose headers it would then look for.
hosted_flags() {
    case $1 in clang*) echo "${freestanding_flags[*]/-ffreestanding/}" ;; *) echo "${freestanding_flags[*]} -fbuiltin" ;; esac
}

freestanding_as_one "$work/runtime.c"

# firmware_sources NAME: of a firmware, without those that are for an operating system or another's stack.
firmware_sources() {
    local folders=()
    [[ $transports_on != *" $1 "* ]] || folders+=(ports/transport)
    if [[ $every_source_on == *" $1 "* ]]; then
        freestanding_sources
        folders+=(ports/usb ports/net)
    elif [[ $every_level_on == *" $1 "* ]]; then
        echo "$work/runtime.c"
    fi
    find "ports/arch/$freestanding_port" ports/unwind -name '*.c'
    [ ${#folders[@]} -eq 0 ] || find "${folders[@]}" -name '*.c' ! -name 'posix_*' ! -name 'lwip_*'
    echo ports/nolibc/mem.c
}

# levels NAME COMPILER: each followed by -hosted where it is without -ffreestanding.
levels() {
    local smallest all
    smallest=$(freestanding_smallest "$2")
    all="-O0 -O2 -O3-hosted $smallest-hosted"
    [ -z "$only" ] || all+=" -O3 $smallest"
    if [[ $every_level_on == *" $1 "* ]]; then
        echo "$all"
    elif [ -z "$only" ] && [[ $transports_on == *" $1 "* ]]; then
        echo -O2
    fi
}

# list_one NAME COMPILER ...: lines "folder<TAB>source<TAB>command".
list_one() {
    local name=$1 level flags source
    shift
    for level in $(levels "$name" "$1"); do
        mkdir -p "$work/$name$level"
        case $level in *-hosted) flags=$(hosted_flags "$1") ;; *) flags=${freestanding_flags[*]} ;; esac
        for source in $(firmware_sources "$name"); do
            printf '%s\t%s\t%s\n' "$work/$name$level" "$source" "$* $flags ${level%-hosted}"
        done
    done
}

compile_one() {
    local folder source command
    IFS=$'\t' read -r folder source command <<<"$1"
    # shellcheck disable=SC2086
    $command -Iports/net -Iports/usb -Wno-unused-command-line-argument -c "$source" -o "$folder/${source//\//-}.o" ||
        echo "$source: $command: does not compile"
}
export -f compile_one

check_folder() {
    local found
    found=$(cd "$1" && find . -name '*.o' ! -name 'ports-nolibc*' -exec nm -gA {} + |
        awk '{ print $1, $NF, $(NF - 1) }' | sed 's|^\./||' | grep -vE "^\S+ ($freestanding_expected)")
    found+=$(cd "$1" && nm -u ports-nolibc-mem.c.o)
    [ -z "$found" ] || {
        echo "$(basename "$1"): symbols without the prefix, or calls of what a firmware may lack (U):"
        echo "$found"
        return 1
    }
}

# run_mem COMPILER OPTION ...: mem.c in place of the C library's, on this machine.
run_mem() {
    "$@" -std=c11 -Wno-unused-command-line-argument -c ports/nolibc/mem.c -o "$work/mem.o" &&
        "$1" -std=c11 -O0 -fno-builtin tests/freestanding/mem.c "$work/mem.o" -o "$work/mem" && "$work/mem" || {
        echo "$*: ports/nolibc/mem.c does not work"
        status=1
    }
}

status=0
freestanding_each list_one >"$work/list" || exit 1
log=$(tr '\n' '\0' <"$work/list" | xargs -0 -P "$(nproc)" -n 1 bash -c 'compile_one "$1"' -- 2>&1)
[ -z "$log" ] || { head -n 40 <<<"$log"; status=1; }
for folder in "$work"/*-O*/; do check_folder "$folder" || status=1; done
for level in -O0 -O1 -O2 -O3 -Os; do
    for mode in -ffreestanding -fhosted; do
        run_mem gcc $level $mode -ftree-loop-distribute-patterns -fbuiltin
        run_mem clang $level $mode -fbuiltin
    done
done
[ $status -ne 0 ] || echo "$(wc -l <"$work/list") objects: no symbol without the prefix, none needed"
exit $status
