#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The longest call of kymo_drain(), in instructions beside those of the transport, on rv64 in machine mode, counted by the
# emulator over floods of every kind of packet. Fails where a call takes more than KYMO_DRAIN_INSTRUCTIONS.
# Usage: tests/bench/drain.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
mark=2000

for tool in qemu-system-riscv64 riscv64-unknown-elf-gcc clang ld.lld timeout; do
    command -v $tool >/dev/null || {
        echo "$tool is missing; tests/run.sh installs it"
        exit 1
    }
done

gcc_rv64='riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany'
clang_rv64='clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mcmodel=medany -mno-relax -fuse-ld=lld'
key=-DKYMO_COMMAND_KEY=$(echo 0x{10..25} | tr ' ' ,)

# count COMPILER-AND-TARGET FLAG ...: "WHAT CALLS LONGEST AVERAGE" a line.
count() {
    local command
    read -ra command <<<"$1"
    "${command[@]}" "${freestanding_flags[@]}" "${@:2}" -Wno-cast-function-type -Iports/arch/riscv -Iruntime/src \
        -nostdlib -static -Wl,--gc-sections -T tests/bench/instructions/link.ld tests/bench/instructions/start.S \
        tests/bench/drain/main.c "${sources[@]}" -o "$work/image" || return 1
    # A file takes each byte at once, so that no call depends on how fast the machine is.
    timeout 1800 qemu-system-riscv64 -M virt -bios none -icount shift=0,sleep=off -display none -monitor none \
        -serial "file:$work/out" -kernel "$work/image" </dev/null && cat "$work/out"
}

# row NAME COMPILER-AND-TARGET FLAG ...
row() {
    local longest
    count "${@:2}" | tr -d '\r' >"$work/counts"
    longest=$(awk '$1 == "all" { print $3 }' "$work/counts")
    [ -n "$longest" ] || {
        echo "$1: no result"
        exit 1
    }
    [ "$1" != "${first:=$1}" ] || {
        printf '%-44s %8s %8s %12s %8s %8s\n' "$1" calls longest 'per event' beyond bytes
        sed -E '/^all/d; s/^(.*) ([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+)$/\1|\2|\3|\4|\5|\6/' "$work/counts" |
            awk -F'|' '{ printf "  %-42s %8d %8d %12s %8d %8.2f\n", $1, $2, $3, ($4 + 0 ? $4 : ""), $5, $6 / 1000 }'
    }
    printf '%-44s %8d %8d\n' "$1" "$(awk '$1 == "all" { print $2 }' "$work/counts")" "$longest"
    # Commands without end take some of the calls, but leave the events theirs.
    awk '/^the same, a fast line/ { alone = $(NF - 2) } /^with commands/ { with = $(NF - 2) }
        END { most = alone > 260 ? 2 * alone : 520; exit !(alone > 0 && with > 0 && with <= most) }' "$work/counts" || {
        echo '  a flood of commands leaves no room for events'
        status=1
    }
    awk '/^pings, each answered/ { answered = $NF >= 18000 } END { exit !answered }' "$work/counts" || {
        echo '  pings are not answered'
        status=1
    }
    if [ "$longest" -gt $mark ]; then
        echo "  a call takes $longest instructions, more than $mark"
        status=1
    fi
}

mapfile -t sources < <(freestanding_sources)
row 'gcc -Os' "$gcc_rv64" -Os -DKYMO_LANES=1
row 'gcc -O2' "$gcc_rv64" -O2 -DKYMO_LANES=1
row 'clang -Os' "$clang_rv64" -Os -DKYMO_LANES=1
row 'clang -O2' "$clang_rv64" -O2 -DKYMO_LANES=1
# The others from one source, which compiles in half the time.
freestanding_as_one "$work/runtime.c" && sources=("$work/runtime.c")
row 'two lanes' "$gcc_rv64" -Os -DKYMO_LANES=2
mark=3000 row '64 lanes' "$gcc_rv64" -Os -DKYMO_LANES=64 -DKYMO_RING_BYTES=1024
row 'longest packets, messages and model' "$gcc_rv64" -Os -DKYMO_LANES=1 -DKYMO_WIRE_SLOTS=62 -DKYMO_PAYLOAD_WORDS=60 \
    -DKYMO_PACKET_BYTES=4096 -DKYMO_RING_BYTES=16384
row 'names in the ELF file' "$gcc_rv64" -Os -DKYMO_LANES=1 -DKYMO_NAMES=0
row 'commands with a key' "$gcc_rv64" -Os -DKYMO_LANES=1 "$key"
row 'call stacks' "$gcc_rv64" -Os -DKYMO_LANES=1 -DKYMO_CALLSTACKS=62
row 'call stacks, -O2' "$gcc_rv64" -O2 -DKYMO_LANES=1 -DKYMO_CALLSTACKS=62
recorder=(-DKYMO_KEEP_NEWEST=1 -DKYMO_CALLSTACKS=62 -DKYMO_RING_BYTES=16384 -DKYMO_LANE_NUMBER=1)
mark=3000 row 'flight recorder with call stacks, two lanes' "$gcc_rv64" -Os -DKYMO_LANES=2 "${recorder[@]}"
mark=3000 row 'flight recorder with call stacks, 16 lanes' "$gcc_rv64" -Os -DKYMO_LANES=16 "${recorder[@]}"
row '384 parameters' "$gcc_rv64" -Os -DKYMO_LANES=1 -DPARAMS_384
row 'large things, run-time sites, clock changes, 320 device blocks' "$gcc_rv64" -Os -DKYMO_LANES=1 -DKYMO_LARGE=16 \
    -DKYMO_DYNAMIC_SITES=64 -DKYMO_CLOCK_CHANGES=1 -DKYMO_DEVICES=1
row 'call stacks in a ring without a mask' "$gcc_rv64" -Os -DKYMO_LANES=1 -DKYMO_CALLSTACKS=62 -UKYMO_PRIVILEGE \
    -DKYMO_PRIVILEGE=0
row 'contexts and call stacks in a ring without a mask' "$gcc_rv64" -Os -DKYMO_LANES=1 -DKYMO_CONTEXTS=4 -DKYMO_CALLSTACKS=16 \
    -UKYMO_PRIVILEGE -DKYMO_PRIVILEGE=0
row 'sixteen contexts that end' "$gcc_rv64" -Os -DKYMO_LANES=2 -DKYMO_CONTEXTS=16
exit $status
