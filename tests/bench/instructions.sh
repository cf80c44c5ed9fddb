#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Instructions of each recording call on rv64 in machine mode with two lanes, call and return included,
# counted by the emulator. Fails where a zone's begin or end takes more than its mark, or a call with -Os more than 1.15
# times what it takes with -O2.
# Usage: tests/bench/instructions.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
begin_mark=27
end_mark=18
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0

for tool in qemu-system-riscv64 riscv64-unknown-elf-gcc clang ld.lld timeout; do
    command -v $tool >/dev/null || {
        echo "$tool is missing; tests/run.sh installs it"
        exit 1
    }
done

gcc_rv64='riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany'
clang_rv64='clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mcmodel=medany -mno-relax -fuse-ld=lld'

# count COMPILER-AND-TARGET OPTIMISATION [FLAG ...]: "name fast slowest" a line.
count() {
    local command
    read -ra command <<<"$1"
    "${command[@]}" "${freestanding_flags[@]}" "${@:2}" -Wno-cast-function-type -Iports/arch/riscv \
        -DKYMO_LANES=2 -DKYMO_RING_BYTES=${ring_bytes:-4096} -nostdlib -static -Wl,--gc-sections \
        -T tests/bench/instructions/link.ld tests/bench/instructions/start.S \
        tests/bench/instructions/main.c ports/unwind/frames.c "${sources[@]}" -o "$work/image" || return 1
    # One instruction a tick, so that the counter counts instructions and not the host's time.
    timeout 1800 qemu-system-riscv64 -M virt -bios none -icount shift=0 -display none -monitor none \
        -serial stdio -kernel "$work/image" </dev/null
}

# check NAME COUNT MARK
check() {
    if [ "$2" -gt "$3" ]; then
        echo "  $1 takes $2 instructions, more than its mark of $3"
        status=1
    fi
}

printf '%-16s' 'rv64, 2 lanes'
calls='zone_begin zone_end interrupt_enter interrupt_leave frame plot flow message_of_one_number alloc'
for call in $calls; do printf '%12s' "$(cut -c1-11 <<<"${call/interrupt/irq}")"; done
echo
# row NAME COMPILER-AND-TARGET FLAG ...: counts, in $work/counts, and prints them.
row() {
    count "${@:2}" | tr -d '\r' >"$work/counts" || {
        echo "$1: no result"
        exit 1
    }
    printf '%-16s' "$1"
    for call in $calls; do
        fast=$(awk -v name="$call" '$1 == name { print $2 }' "$work/counts")
        [ -n "$fast" ] || {
            echo "$1: no count of $call"
            exit 1
        }
        printf '%12s' "$fast"
    done
    echo
}
# check_small: the row that was counted last, with -Os, against the one before, with -O2, in $work/fast.
check_small() {
    local name small fast
    while read -r name small fast; do
        check "$name with -Os" "$small" $((fast * 115 / 100))
    done < <(awk -v calls=" $calls " 'NR == FNR { fast[$1] = $2; next } index(calls, " " $1 " ") { print $1, $2, fast[$1] }' \
        "$work/fast" "$work/counts")
}

mapfile -t sources < <(freestanding_sources)
for compiler in gcc clang; do
    target=${compiler}_rv64
    for level in -O2 -Os; do
        row "$compiler $level" "${!target}" $level
        check zone_begin "$(awk '$1 == "zone_begin" { print $2 }' "$work/counts")" $begin_mark
        check zone_end "$(awk '$1 == "zone_end" { print $2 }' "$work/counts")" $end_mark
        if [ $level = -O2 ]; then cp "$work/counts" "$work/fast"; else check_small; fi
    done
done
# The lane's address in tp; and one lane.
row 'lane in tp' "$gcc_rv64" -O2 -DKYMO_LANE_NUMBER=1 -DBENCH_LANE_START
check zone_begin "$(awk '$1 == "zone_begin" { print $2 }' "$work/counts")" 20
check zone_end "$(awk '$1 == "zone_end" { print $2 }' "$work/counts")" 15
row 'flight recorder' "$gcc_rv64" -O2 -DKYMO_KEEP_NEWEST=1
cp "$work/counts" "$work/fast"
row 'the same, -Os' "$gcc_rv64" -Os -DKYMO_KEEP_NEWEST=1
check_small
# What follows, but for samples, from one source, which compiles in half the time and counts the same.
by_source=("${sources[@]}")
freestanding_as_one "$work/runtime.c" && sources=("$work/runtime.c" -Iruntime/src)
# kymo_site_dynamic() with a site that exists: a zone by it takes this and its begin. In the same image, calls of a
# kernel's glue for its tasks.
for marks in '-O2 33 50 40' '-Os 33 50 40'; do
    read -r level ready_mark switch_mark waits_mark <<<"$marks"
    count "$gcc_rv64" $level -DKYMO_DYNAMIC_SITES=8 -DKYMO_TASKS=8 | tr -d '\r' >"$work/counts" || exit 1
    of() { awk -v name="$1" '$1 == name { print $2 }' "$work/counts"; }
    printf 'gcc %s, a site made at run time, found: name of 18 bytes copied %s, constant %s\n' $level \
        "$(of site_copied_name)" "$(of site_constant_name)"
    check "a copied name" "$(of site_copied_name)" 570
    check "a constant name" "$(of site_constant_name)" 215
    printf 'gcc %s, a task: ready %s, switch %s, wait %s\n' $level "$(of task_ready)" "$(of task_switch)" "$(of task_waits)"
    check "a task that becomes ready" "$(of task_ready)" "$ready_mark"
    check "a switch" "$(of task_switch)" "$switch_mark"
    check "the wait of a task that leaves" "$(of task_waits)" "$waits_mark"
    check zone_begin "$(of zone_begin)" $begin_mark
    check zone_end "$(of zone_end)" $end_mark
done
# The same where the kernel's tasks may have limits: one that has none, and the last two of those that have.
for marks in '-O2 65 93 60 76 123 78' '-Os 75 111 66 89 159 99'; do
    read -r level ready_mark switch_mark waits_mark limited_ready_mark limited_switch_mark limited_waits_mark <<<"$marks"
    count "$gcc_rv64" $level -DKYMO_CLOCK_HZ=1000000000 -DKYMO_TASKS=8 -DKYMO_TASK_LIMITS=4 | tr -d '\r' >"$work/counts" || exit 1
    of() { awk -v name="$1" '$1 == name { print $2 }' "$work/counts"; }
    printf 'gcc %s, 4 tasks may have limits: a task without: ready %s, switch %s, wait %s; with: %s, %s, %s\n' $level \
        "$(of task_ready)" "$(of task_switch)" "$(of task_waits)" \
        "$(of limited_ready)" "$(of limited_switch)" "$(of limited_waits)"
    for call in ready switch waits; do
        mark=${call}_mark
        check "task_$call beside limits" "$(of task_$call)" "${!mark}"
        check "limited_$call" "$(of limited_$call)" "$(mark=limited_${call}_mark && echo "${!mark}")"
    done
done
# A function that is a zone: its begin and its end, after the compiler's call.
for level in -O2 -Os; do
    count "$gcc_rv64" $level -DKYMO_FUNCTIONS=32 | tr -d '\r' >"$work/counts" || exit 1
    printf 'gcc %s, a function as a zone: begin %s, end %s\n' $level "$(of function_begin)" "$(of function_end)"
    check "the begin of a function" "$(of function_begin)" 125
    check "the end of a function" "$(of function_end)" 145
    check zone_begin "$(of zone_begin)" $begin_mark
    check zone_end "$(of zone_end)" $end_mark
done
# A zone's begin with its call stack: walked, put into words and copied into the ring.
ring_bytes=65536
for level in -O2 -Os; do
    count "$gcc_rv64" $level -fno-omit-frame-pointer -DKYMO_CALLSTACKS=62 -DKYMO_STACK_BYTES=8192 | tr -d '\r' >"$work/counts" ||
        exit 1
    of() { awk -v name="zone_of_$1" '$1 == name { print $2 }' "$work/counts"; }
    each=$((($(of 62_frames) - $(of 16_frames)) / 46))
    printf 'gcc %s, begin of a zone with a call stack: no frame %s, 1 frame %s, 16 frames %s, each frame more %s\n' \
        $level "$(of no_frame)" "$(of 1_frame)" "$(of 16_frames)" $each
    check "a frame" $each 62
done
sources=("${by_source[@]}")
# A sample: at 1 kHz at most 1 % of a core of 100 MHz; a tenth more with -Os.
for level in -O2 -Os; do
    for frames in 1 8; do
        count "$gcc_rv64" $level -fno-omit-frame-pointer -DKYMO_CALLSTACKS=$frames -DKYMO_SAMPLE_HZ_MAX=100000 | tr -d '\r' \
            >"$work/counts" || exit 1
        known=$(awk '$1 == "sample_of_known_frame" { print $2 }' "$work/counts")
        walked=$(awk '$1 == "sample_through_handler" { print $2 }' "$work/counts")
        printf 'gcc %s, a sample of %s frames: by the frame pointer %s, by a walk through the handler %s\n' \
            $level $frames "$known" "$walked"
        if [ $level = -Os ]; then
            check "a sample" "$known" 1100
        else
            check "a sample" "$known" 1000
            check "a sample" "$walked" 1000
        fi
    done
done
exit $status
