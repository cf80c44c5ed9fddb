#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# e2e.BOARD.memory: the demo's trace out of the board's memory. gdb stops the board at its end, before anything was
# sent, and the memory is saved by the emulator, by gdb and by OpenOCD, as bytes and as core files; then the same trace
# comes over the serial port, with the firmware's own counts, against which it is judged. Usage: memory.sh BUILD HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 hostlink=$2 out=$(realpath "$1")/e2e.memory tests=$(dirname "$2")/../tests
. tests/e2e/begin.sh
. tests/e2e/debugger.sh
. tests/e2e/openocd.sh
# So that OpenOCD sees it.
debugger_options="-machine memory-backend=ram -object memory-backend-file,id=ram,size=128M,share=on,mem-path=@FOLDER@/ram"

begin "$out" "$hostlink"
# OpenOCD is asked for a part, as it brings some 30 kB/s that way: the runtime's variables and the start of the rings.
part_at=0x$(riscv64-unknown-elf-nm "$build/firmware.elf" | awk '$3 == "kymo_link" { print $1 }')
part_bytes=16384

debugger_saves() {
    save_by_emulator
    echo "dump binary memory $out/gdb.bin $ram_base &__memory_end"
    echo "generate-core-file $out/gdb.core"
}

debugger_stands() {
    timeout 1800 "$probe" "$1/jtag" "$1/ram" $ram_base &
    local bridge=$!
    until kymo_listens "$1/jtag" || ! kill -0 $bridge 2>/dev/null; do
        sleep 0.05
    done
    { openocd_board "$1/jtag"; echo "dump_image $out/openocd.bin $part_at $part_bytes"; echo "shutdown"; } >"$1/openocd"
    timeout 1800 openocd -f "$1/openocd" && wait $bridge
}

capture -q --no-tracy -o "$out/demo.kymo"

dump ram.bin dumped
tail -n 1 "$out/dumped/dump.out"
diff <(grep '^events:' "$out/dumped/dump.out") <(grep '^events:' "$out/capture.out") || exit 1
python3 tests/e2e/judge.py "$out" dumped || exit 1
python3 -B tests/e2e/same.py "$tests/wire/dump_events" "$out/demo.kymo" "$out/dumped/demo.kymo" || exit 1
for capture in dumped/demo.kymo demo.kymo; do # to the nanosecond
    "$hostlink" stats --csv "$out/$capture" | diff - "$out/dumped/demo.csv" || exit 1
done

# The others hold the same: core files of the emulator and of gdb, and the bytes of gdb and OpenOCD.
for core in core gdb.core; do
    dump $core dumped.$core
    diff -r --exclude=dump.out "$out/dumped" "$out/dumped.$core" || exit 1
done
cmp "$out/gdb.bin" "$out/ram.bin" || exit 1
[ "$(stat -c %s "$out/openocd.bin")" -eq $part_bytes ] || exit 1
cmp -n $part_bytes -i 0:$((part_at - ram_base)) "$out/openocd.bin" "$out/ram.bin" || exit 1
rm "$out"/*.bin "$out/core" "$out/gdb.core"
