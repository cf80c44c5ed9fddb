#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each two values of two knobs build together without a warning, as kymo's two files with a program that uses what they
# switch on: natively, and for rv64 or Cortex-M, at -O0, -Os and with link-time optimisation. The native programs run, and
# hostlink has all events. Usage: pairs.sh HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
hostlink=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT
status=0

# Warnings that a firmware may enable, without those that amalgamate.sh says to switch off.
warnings=(-Wall -Wextra -Wpedantic -Wundef -Wcast-qual -Werror)
bare=(-std=c11 -ffreestanding -nostdlib -static -Wl,-e,main -Wl,--gc-sections ports/nolibc/mem.c -lgcc)

# built ROW ...: the program of a row of knobs, by the compiler in "command" with what it needs to link.
built() {
    local tables=()
    # The same options as kymo_add_runtime().
    case $port:$* in
    cortex-m:*CALLSTACKS* | cortex-m:*MODE=4*) tables=(-funwind-tables) ;;
    posix:*) tables=(-fno-omit-frame-pointer) ;;
    esac
    "${command[@]}" "${warnings[@]}" "$@" "${tables[@]}" "-I$work/$port" tests/freestanding/pairs.c "$work/$port/kymo.c" \
        "${rest[@]}" -o "$work/program" 2>"$work/log" && return
    head -n 8 "$work/log"
    return 1
}

# runs ROW ...: with the recorder on, and no wait for a host, the program's events arrive.
runs() {
    local last
    case $* in *ENABLE=0*) "$work/program" >"$work/out" && [ ! -s "$work/out" ]; return ;; esac
    timeout 900 "$hostlink" run - -q --no-tracy -o "$work/t.kymo" -- "$work/program" >"$work/out" 2>"$work/log" || {
        cat "$work/log"
        return 1
    }
    last=$(tail -n 1 "$work/out")
    case $*:$last in
    *ON_DEMAND=1*:'events: emitted 0 delivered 0 lost 0') ;;
    *ON_DEMAND=1*) false ;;
    *:events:\ emitted\ 2[0-9]\ delivered\ 2[0-9]\ lost\ 0) ! grep 'usage error' "$work/out" ;;
    *) false ;;
    esac || { cat "$work/out" && return 1; }
    # The innermost frame is the macro's function, also where the linker could inline the recorder's.
    case $* in *ON_DEMAND=1* | *CALLSTACKS=0*) return ;; *CALLSTACKS=* | *MODE=[34]*) ;; *) return ;; esac
    "$hostlink" stats --stacks --elf "$work/program" --symbolizer none "$work/t.kymo" 2>"$work/log" |
        grep -E "  stack +('[a-z]+' < )*(record|main)( |\$)" >"$work/frames" || {
        cat "$work/log" && echo "the zone 'stack' has another caller than its function"
        return 1
    }
}

# tries NAME: each row of its knobs, with the port's compiler.
tries() {
    local words rows=0
    while read -ra words; do
        rows=$((rows + 1))
        case ${words[0]} in -*) ;; *) choose "${words[0]}" && words=("${words[@]:1}") ;; esac
        built "${words[@]}" && { [ "$port" != posix ] || runs "${words[@]}"; } && continue
        echo "$port: ${words[*]}"
        status=1
    done < <(python3 tests/freestanding/pairs.py "$1")
    [ $rows -ge 10 ] || { echo "$1: $rows rows" && exit 1; }
    echo "$1: $rows rows"
}

# choose PORT: its compiler, and the options to link the program.
choose() {
    port=$1
    rest=("${bare[@]}")
    case $port in
    posix) command=(gcc -std=gnu11) rest=(-pthread -no-pie) ;;
    riscv) command=(riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany) ;;
    cortex-m) command=(arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb) ;;
    esac
    command -v "${command[0]}" >/dev/null || { echo "${command[0]} is missing; tests/run.sh installs it" && exit 1; }
}

# The files of several transports, each once.
runtime/amalgamate.sh posix posix_fd posix_background -o "$work/posix" &&
    gcc -std=c11 "${warnings[@]}" -DKYMO_LANES=4 -fsyntax-only "$work/posix/kymo.c" || status=1
runtime/sources.sh posix posix_fd posix_background | sort | uniq -d | grep . && status=1

for words in "posix posix_fd" "riscv ns16550" "cortex-m cmsdk_uart"; do
    # shellcheck disable=SC2086
    runtime/amalgamate.sh $words -o "$work/${words% *}" || exit 1
done
choose posix
tries posix
tries bare
exit $status
