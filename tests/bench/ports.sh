#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The cost of recording on every port: instructions of a zone's begin and end, counted by the emulator; the most
# instructions for which interrupts are masked, in zones that are accepted (first use included) and in a ring that runs full
# and refuses; the instructions of a begin, an end and an event of a device block (kymo/device.h), as they are inlined; and,
# without names, the bytes that zones, messages, plots, encoder and drain take in an image beside the same image without (of
# boards' images tests/size/size.sh has the marks). Fails where one takes more than its mark. A new port is one line of the
# table below, and one mark. Usage: ports.sh [NAME ...]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0

riscv=riscv64-unknown-elf-
arm='arm-none-eabi- -mthumb -mfloat-abi=soft'
x86='x86_64-linux-gnu- -mno-red-zone -mgeneral-regs-only -fno-pic -no-pie -fno-stack-protector'
m='-semihosting-config enable=on,target=native -M'
virt='-M virt -bios none'
aarch64='aarch64-linux-gnu- -mgeneral-regs-only -mstrict-align -mno-outline-atomics -fno-pic -no-pie -fno-stack-protector'
armv7a='arm-none-eabi- -mcpu=cortex-a15 -marm -mfloat-abi=soft -mno-unaligned-access'
one='KYMO_LANES=1 CHECK_LEVEL=1 CHECK_CORE=0'
pc='-M q35 -m 64 -nodefaults -vga none -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4'

# A Cortex-M uses SysTick as its clock here, as the emulated ones have no cycle counter; the cost of a real one is
# counted by taking the counter all the same. The nRF51 has a timer.
nrf51='KYMO_CLOCK=4 KYMO_CLOCK_ADDRESS=0x40008540'

# name | prefix of the tools, options of the core | port and its definitions | start-up code of the contract
# test | where code and data go | emulator and machine
table="
rv64             |$riscv -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany  |riscv KYMO_LANES=1 KYMO_PRIVILEGE=3 |riscv    |0x80000000 0x80010000 |riscv64 $virt
rv64-2-lanes     |$riscv -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany  |riscv KYMO_LANES=2 KYMO_PRIVILEGE=3 |riscv    |0x80000000 0x80010000 |riscv64 $virt
rv32             |$riscv -march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medany |riscv KYMO_LANES=1 KYMO_PRIVILEGE=3 |riscv    |0x80000000 0x80010000 |riscv32 $virt
rv32-no-a        |$riscv -march=rv32imc_zicsr -mabi=ilp32 -mcmodel=medany  |riscv KYMO_LANES=1 KYMO_PRIVILEGE=3 |riscv    |0x80000000 0x80010000 |riscv32 $virt
x86-64           |$x86 -m64                                                |x86 KYMO_LANES=1                     |x86      |0x100000 0x110000     |x86_64 $pc
i386             |$x86 -m32                                                |x86 KYMO_LANES=1                     |x86      |0x100000 0x110000     |x86_64 $pc
aarch64          |$aarch64                                                 |aarch64 $one                         |aarch64  |0x40100000 0x40110000 |aarch64 $m virt -cpu cortex-a53
armv7-a          |$armv7a                                                  |armv7-a $one                         |armv7-a  |0x40100000 0x40110000 |arm $m virt -cpu cortex-a15
cortex-m0        |$arm -mcpu=cortex-m0                                     |cortex-m KYMO_LANES=1                |cortex-m |0x0 0x20000000        |arm $m microbit
cortex-m0-timer  |$arm -mcpu=cortex-m0                                     |cortex-m KYMO_LANES=1 $nrf51         |cortex-m |0x0 0x20000000        |arm $m microbit
cortex-m3        |$arm -mcpu=cortex-m3                                     |cortex-m KYMO_LANES=1                |cortex-m |0x0 0x20000000        |arm $m mps2-an385
cortex-m4        |$arm -mcpu=cortex-m4                                     |cortex-m KYMO_LANES=1                |cortex-m |0x08000000 0x20000000 |arm $m netduinoplus2
cortex-m4-either |$arm -mcpu=cortex-m4                                     |cortex-m KYMO_LANES=1 BENCH_CYCLES=1 |cortex-m |0x08000000 0x20000000 |arm $m netduinoplus2
cortex-m4-cycles |$arm -mcpu=cortex-m4                                     |cortex-m KYMO_LANES=1 BENCH_CYCLES=1 KYMO_CLOCK=3 |cortex-m |0x08000000 0x20000000 |arm $m netduinoplus2
cortex-m0-timer-Os  |$arm -mcpu=cortex-m0                               |cortex-m KYMO_LANES=1 $nrf51         |cortex-m |0x0 0x20000000        |arm $m microbit
cortex-m4-cycles-Os |$arm -mcpu=cortex-m4                               |cortex-m KYMO_LANES=1 BENCH_CYCLES=1 KYMO_CLOCK=3 |cortex-m |0x08000000 0x20000000 |arm $m netduinoplus2
cortex-m3-tasks  |$arm -mcpu=cortex-m3                                     |cortex-m KYMO_LANES=1 BENCH_CYCLES=1 KYMO_CLOCK=3 KYMO_TASKS=8 |cortex-m |0x08000000 0x20000000 |arm $m netduinoplus2
rv64-tasks       |$riscv -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany  |riscv KYMO_LANES=1 KYMO_PRIVILEGE=3 KYMO_TASKS=8 |riscv |0x80000000 0x80010000 |riscv64 $virt
cortex-m33       |$arm -mcpu=cortex-m33                                    |cortex-m KYMO_LANES=1                |cortex-m |0x10000000 0x38000000 |arm $m mps2-an505
"

# Most instructions of a zone's begin and end. Rows are compiled with -O2, those whose names end with -Os so.
declare -A mark=(
    [rv64]='20 14' [rv64-2-lanes]='27 18' [rv32]='18 16' [rv32-no-a]='18 16' [x86-64]='31 23' [i386]='28 26'
    [aarch64]='20 17' [armv7-a]='25 23' [cortex-m0]='65 63' [cortex-m0-timer]='24 23' [cortex-m3]='67 65'
    [cortex-m4]='66 64' [cortex-m4-either]='22 21' [cortex-m4-cycles]='18 17' [cortex-m33]='67 65'
    [cortex-m0-timer-Os]='25 24' [cortex-m4-cycles-Os]='19 17'
    [cortex-m3-tasks]='18 18' [rv64-tasks]='20 14'
)
# Most instructions of a record of a device: 12, as kymo/device.h says for 32-bit cores, and on others
declare -A device_mark=([rv64]=17 [rv64-2-lanes]=17 [rv64-tasks]=17 [x86-64]=15 [aarch64]=15)
# Most instructions of a kernel's task, in rows with KYMO_TASKS: it becomes ready, it waits, another runs.
declare -A task_mark=([cortex-m3-tasks]='24 25 38' [rv64-tasks]='26 33 36')

need() {
    command -v "$1" >/dev/null || {
        echo "$1 is missing; tests/run.sh installs it"
        exit 1
    }
}

# compile OPTION ...: with the core's and the port's, to $work/image if nothing else is said.
compile() {
    "${tools}gcc" "${core[@]}" "${freestanding_flags[@]}" -fno-tree-loop-distribute-patterns \
        "-Iports/arch/$port" "${definitions[@]}" -DKYMO_RING_BYTES=2048 -nostdlib -static -Wl,--gc-sections \
        -Wl,--build-id=none -Wl,--no-warn-rwx-segments "$@" "${libgcc[@]}" -o "$work/image" 2>"$work/log" && return
    cat "$work/log"
    return 1
}

# Each source once, to $work/objects, for both calls of size().
objects() {
    local source
    rm -rf "$work/objects" && mkdir "$work/objects"
    for source in "${sources[@]}"; do
        compile -Os -c "$source" && mv "$work/image" "$work/objects/${source//\//-}.o" || return 1
    done
}

# size FEATURES (see tests/size/feature.c): "ROM RAM", RAM without the ring.
size() {
    local ring
    compile -Os -DFEATURES="$1" -Wl,-e,_start -Wl,-N tests/size/feature.c "$work/objects"/*.o || return 1
    ring=$("${tools}nm" -S "$work/image" | awk '$4 == "kymo_rings" { print $2 }')
    "${tools}size" -A "$work/image" | awk -v ring=$((16#${ring:-0})) '
        $1 ~ /^\.text|^\.s?rodata|^kymo_sites/ { rom += $2 }
        $1 ~ /^\.s?(data|bss)/ { ram += $2 }
        END { printf "%d %d\n", rom, ram - ring }'
}

# Links the image that records, so that code and data are at the two places.
link() {
    local code=$1 data=$2 text=$1 options=()
    if [ "$start" = cortex-m ]; then
        text=$(printf 0x%x $((code + 0x400)))
        # Nothing refers to the vectors.
        options=("-Wl,--no-gc-sections" "-Wl,--section-start=.vectors=$code" "-Wl,-e,start"
            "-DSTACK_TOP=$((data + 0x3000))")
    fi
    # -N would put data after code: the emulator is slow where both share a page.
    compile "$level" -DCHECK_HART=0 "-Itests/ports/$start" "${options[@]}" "-Wl,-Ttext=$text" "-Wl,-Tdata=$data" \
        "tests/ports/$start/start.S" tests/bench/ports/main.c "${sources[@]}"
}

# instructions FUNCTION: of most of its calls from calls(), call and return included. The trace has a line for each
# instruction, which ends with the name of the function that it is in.
instructions() {
    awk -v function_name="$1" '
        /^Trace/ {
            inside = $NF == function_name || (inside && $NF != "calls")
            if (inside) {
                count++
            } else if (count > 0) {
                calls[count + 1]++
                count = 0
            }
        }
        END {
            for (count in calls) {
                if (calls[count] > calls[best]) best = count
            }
            print best
        }' "$work/trace"
}

# The instructions that mask interrupts, and those that unmask them, as "ADDRESS mask" or "ADDRESS unmask".
masks() {
    "${tools}objdump" -d --no-show-raw-insn "$work/image" | tr '\t' ' ' | awk '
        { address = $1; sub(/:$/, "", address) }
        / (csrrci?) +[a-z0-9]+, *mstatus, *8| cpsid | daifset|^ *[0-9a-f]+: +cli/ { print address, "mask" }
        / (csrs|csrrs) +(zero, *)?mstatus| msr +(PRIMASK|CPSR_c|cpsr_c|daif),|^ *[0-9a-f]+: +(popfq?|popfl?|sti)/ {
            print address, "unmask"
        }'
}

# masked CALLER: the most instructions between the two, in all that this function calls.
masked() {
    awk -v caller="$1" '
        NR == FNR { kind[$1] = $2; next }
        /^Trace/ {
            split($0, field, "/")
            at = tolower(field[2])
            sub(/^0+/, "", at)
            if ($NF == "calls" || $NF == "refusals") phase = $NF
            if (kind[at] == "mask") since = count
            count++
            if (kind[at] == "unmask" && since != "") {
                if (phase == caller && count - since > most) most = count - since
                since = ""
            }
        }
        END { print most }' <(masks) "$work/trace"
}

# trace EMULATOR [ARGUMENT ...]: one line for each instruction of the image.
trace() {
    local emulator=qemu-system-$1 single=-singlestep
    need "$emulator"
    # From QEMU 8.1 on it has another name.
    "$emulator" --help | grep -q -- '^-singlestep' || single='-accel tcg,one-insn-per-tb=on'
    # shellcheck disable=SC2086
    timeout 1800 "$emulator" "${@:2}" $single -d exec,nochain -dfilter "$code+0x10000" -D "$work/trace" -display none \
        -monitor none -serial none -kernel "$work/image" >"$work/log" 2>&1
    # Its status differs between the machines; whether it did its work is seen in the trace.
    [ $? -ne 124 ] && [ -s "$work/trace" ] && return
    cat "$work/log"
    echo "no trace, or no end within five minutes"
    return 1
}

# Without the blanks around it.
trim() { read -r REPLY <<<"$1"; echo "$REPLY"; }

printf '%-19s %6s %6s %10s %7s %9s %8s  %s\n' port ROM RAM 'zone begin' end 'masked' 'refusing' 'device begin end event'
while IFS='|' read -r name compiler words start places machine; do
    name=$(trim "$name") start=$(trim "$start")
    [ -n "$name" ] || continue
    level=-O2
    [[ $name != *-Os ]] || level=-Os
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    read -r tools core <<<"$compiler"
    read -ra core <<<"$core"
    read -r port definitions <<<"$words"
    read -ra definitions <<<"$definitions"
    definitions=("${definitions[@]/#/-D}")
    read -r code data <<<"$places"
    read -ra machine <<<"$machine"
    mapfile -t sources < <(freestanding_sources; find "ports/arch/$port" -name '*.c'; echo ports/nolibc/mem.c)
    need "${tools}gcc"
    # For 64-bit division on small cores; the i386 one is often not installed, and not needed.
    libgcc=("$("${tools}gcc" "${core[@]}" -print-libgcc-file-name)")
    [ -f "${libgcc[0]}" ] || libgcc=()
    rom='' ram='' rom0='' ram0=''
    [ $# -ne 0 ] || { objects && read -r rom ram < <(size 135) && read -r rom0 ram0 < <(size 0) && [ "$rom" -gt "$rom0" ]; } || {
        echo "$name: no size"
        exit 1
    }
    link "$code" "$data" && trace "${machine[@]}" || {
        echo "$name: failed"
        exit 1
    }
    begin=$(instructions kymo_zone_begin) end=$(instructions kymo_zone_end)
    accepted=$(masked calls) refused=$(masked refusals)
    device=()
    for call in begin end event; do device+=($((($(instructions device_six_${call}s) - $(instructions device_two_${call}s)) / 4))); done
    printf '%-19s %6s %6s %10s %7s %9s %8s  %12s %3s %5s\n' "$name" "${rom:+$((rom - rom0))}" "${ram:+$((ram - ram0))}" \
        "$begin" "$end" "$accepted" "$refused" "${device[@]}"
    if [ -n "${task_mark[$name]:-}" ]; then
        read -r ready waits switch <<<"${task_mark[$name]}"
        tasks=("$(instructions kymo_task_ready)" "$(instructions kymo_task_waits)" "$(instructions kymo_task_in)")
        printf '  a task becomes ready: %s; waits: %s; another runs: %s\n' "${tasks[@]}"
        if [ "${tasks[0]}" -gt "$ready" ] || [ "${tasks[1]}" -gt "$waits" ] || [ "${tasks[2]}" -gt "$switch" ]; then
            echo "  these may take $ready, $waits and $switch instructions"
            status=1
        fi
    fi
    if [ -z "$begin" ] || [ -z "$end" ] || [ "${device[1]}" -le 0 ] || [ -z "$accepted" ] || [ -z "$refused" ]; then
        echo "  a figure is missing"
        status=1
        continue
    fi
    read -r most_begin most_end <<<"${mark[$name]}"
    if [ "$begin" -gt "$most_begin" ] || [ "$end" -gt "$most_end" ]; then
        echo "  begin and end may take $most_begin and $most_end instructions"
        status=1
    fi
    for count in "${device[@]}"; do
        [ "$count" -gt "${device_mark[$name]:-12}" ] || continue
        echo "  a record of a device may take ${device_mark[$name]:-12} instructions"
        status=1
    done
done <<<"$table"
exit $status
