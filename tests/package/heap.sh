#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# package.heap: ports/vendor/kymo_heap.c with picolibc records each block of the heap, those of the library too, once.
# Usage: heap.sh HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
hostlink=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT

runtime/amalgamate.sh riscv ns16550 -D KYMO_CLOCK_HZ=10000000 -D KYMO_CLOCK=2 -D KYMO_CLOCK_ADDRESS=0x0200bff8 \
    -D KYMO_TRACING_MODE=3 -D KYMO_CALLSTACKS=8 -o "$work" || exit 1
# The instruction set of 2017, in which the library's multilibs are named and CSRs need no letter.
riscv64-unknown-elf-gcc -misa-spec=2.2 -march=rv64imac -mabi=lp64 -mcmodel=medany -std=gnu11 -Os -g -fno-omit-frame-pointer -Wall -Wextra -Werror \
    -specs=picolibc.specs --oslib=semihost -Wl,--wrap=malloc,--wrap=free,--wrap=realloc "-I$work" -Iruntime/include \
    -Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=2M,--defsym=__ram=0x80200000,--defsym=__ram_size=2M \
    tests/package/heap/main.c "$work/kymo.c" ports/vendor/kymo_heap.c -o "$work/heap.elf" || exit 1
timeout 300 "$hostlink" run - -q --no-tracy -o "$work/t.kymo" -- qemu-system-riscv64 -M virt -bios none -display none \
    -monitor none -serial stdio -semihosting-config enable=on,target=native -kernel "$work/heap.elf" >"$work/out" 2>&1 || {
    cat "$work/out"
    exit 1
}
"$hostlink" stats --memory --csv "$work/t.kymo" >"$work/memory.csv" 2>>"$work/out"
"$hostlink" stats --stacks --csv --elf "$work/heap.elf" "$work/t.kymo" >"$work/stacks.csv" 2>>"$work/out"
python3 - "$work/memory.csv" "$work/stacks.csv" <<'TEXT' || { cat "$work"/*.csv "$work/out"; exit 1; }
import csv
import sys
(row,) = csv.DictReader(open(sys.argv[1], encoding="utf-8"))
allocated, freed, live = (int(row[name]) for name in ("allocs", "frees", "live"))
# Ten texts, two blocks, and up to three that realloc() made of these.
assert row["name"] == "heap" and 12 <= allocated <= 15 and allocated - freed == live == 3, row
assert int(row["live_bytes"]) == 3 * len("a text\0") and int(row["allocated_again"]) == int(row["unknown_frees"]) == 0, row
# The function that the program called is innermost; neither the wrapper nor the library's calls in between are.
stacks = {row["stack"].split(" ")[0]: row for row in csv.DictReader(open(sys.argv[2], encoding="utf-8"))}
assert {"main", "strdup"} <= stacks.keys() and not any("__wrap_" in row["stack"] for row in stacks.values()), stacks.keys()
assert (stacks["strdup"]["count"], stacks["strdup"]["live"]) == ("10", "3"), stacks["strdup"]
TEXT
