#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# package.link_scripts: the example of doc/your-own-board.md with linker scripts of the forms that firmware has, and both
# linkers. Where the start-up code copies the initial values from after .text or .rodata, the sites lie there;
# where it copies from before them, the sites are not in memory: linking fails or the trace reports it, and the
# lines on the page fix it. Usage: link_scripts.sh HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
hostlink=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT
cp -r doc/your-own-board/. "$work" && cd "$work" || exit 1

# The application has a variable of its own, which a message shows, and constants in a section of their own.
sed -i -e 's|^static uint32_t sum;|static volatile uint32_t mine[2] = {11, 22222222};\n\
__attribute__((used, section(".fast"))) static const uint32_t fast[2] = {1, 2};\n&|' \
    -e 's|KYMO_MESSAGE(.*|KYMO_MESSAGE("mine %u", (unsigned)mine[1]);|' app.c
compiler=(arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os -ffreestanding -ffunction-sections -fdata-sections -I. -Icortex-m
    "-I$top/runtime/include" "-I$top/ports/transport" "-I$top/ports/arch/cortex-m")
"$top/runtime/amalgamate.sh" cortex-m cmsdk_uart -D KYMO_CLOCK_HZ=25000000 -D KYMO_RING_BYTES=16384 -o . || exit 1
libgcc=$("${compiler[@]}" -print-libgcc-file-name)
"${compiler[@]}" -c kymo.c app.c cortex-m/board.c cortex-m/start.c "$top/ports/nolibc/mem.c" || exit 1

head='ENTRY(reset)
MEMORY { FLASH (rx) : ORIGIN = 0x00000000, LENGTH = 4M
    RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 4M }
SECTIONS {'
data='data_start = .; *(.data*) . = ALIGN(4); data_end = .;'
rest='.bss : { . = ALIGN(4); bss_start = .; *(.bss*) *(COMMON) . = ALIGN(4); bss_end = .; } > RAM
    . = ALIGN(16); stack_top = . + 16K; }'
text='KEEP(*(.vectors)) *(.text*)'
# The lines of the page.
cure=$(sed -n '/^    \. = ALIGN(8); __start_kymo_sites/,/^$/p' "$top/doc/your-own-board.md")
[ -n "$cure" ] || { echo "doc/your-own-board.md has no lines for a linker script"; exit 1; }

# link LINES ...: the sections before .bss, by "$linker". Its words go to "log".
linker=arm-none-eabi-ld
link() {
    printf '%s\n' "$head" "$@" "$rest" >link.ld
    "$linker" --gc-sections -T link.ld ./*.o "$libgcc" -o firmware.elf >log 2>&1
}
# shows FORM VALUE WARNINGS [WORDS]: the variable's value, where it is the same in each run, and how often the trace warns.
shows() {
    local values warnings
    timeout 900 "$hostlink" run "unix:$work/uart" -q --no-tracy -o t.kymo -o t.json -- qemu-system-arm -M mps2-an386 \
        -display none -monitor none -serial "unix:$work/uart,server=on" -kernel firmware.elf >out 2>err || { cat err; exit 1; }
    values=$(grep -o 'mine [0-9]*' t.json | sort -u)
    warnings=$(grep -c "^usage error: .*${4:-initialised variables do not hold their values}" out)
    if [ "$2" = absent ]; then
        [ "$warnings" = "$3" ] && [ -z "$values" ] && return
    fi
    [ "$warnings" = "$3" ] && { [ "$values" = "mine $2" ] || [ "$2" = other ]; } && [ -n "$values" ] &&
        ! { [ "$2" = other ] && [ "$values" = "mine 22222222" ]; } && return
    echo "$1: '$values', $warnings warnings"
    cat out
    exit 1
}
# examined FORM STATUS LINE: 'hostlink doctor' sees it in the file.
examined() {
    local status
    "$hostlink" doctor firmware.elf >out 2>&1
    status=$?
    [ $status -eq "$2" ] && grep -qE "$3" out && return
    echo "$1: hostlink doctor ends with $status and does not say '$3'"
    cat out
    exit 1
}
right() {
    link "${@:2}" || { echo "$1:"; cat log; exit 1; }
    examined "$1" 0 '^ok +\.data +data_image is where the initial values are'
    shows "$1" 22222222 0
}
wrong() {
    link "${@:2}" || { echo "$1:"; cat log; exit 1; }
    examined "$1" 8 '^ 1\. ELF +initialised variables will hold wrong values: .* data_image, .*LOADADDR'
    shows "$1" other 1
}
# refused FORM LINES ...: the linker names the section.
refused() {
    ! link "${@:2}" || { echo "$1: links"; exit 1; }
    grep -q "kymo_sites.* LMA .*overlaps\|overlaps.* LMA .*kymo_sites\|kymo_sites.* will not fit in region" log || {
        echo "$1:"
        cat log
        exit 1
    }
}
# absent FORM LINES ...: the sites are at an address that nothing is copied to. The trace says so, and goes on without names.
absent() {
    link "${@:2}" || { echo "$1:"; cat log; exit 1; }
    examined "$1" 8 '^ 1\. ELF +the sites follow constants that are copied to RAM'
    shows "$1" absent 1 'the sites are not in memory'
}

one=".text : { $text *(.rodata*) . = ALIGN(4);"
two=".text : { $text } > FLASH .rodata : { *(.rodata*) . = ALIGN(4);"
by_region=".data : { $data } > RAM AT > FLASH"
right "behind .ARM.exidx" "$one } > FLASH .ARM.exidx : { *(.ARM.exidx*) } > FLASH end = ALIGN(4);" \
    ".data : AT (end) { $data } > RAM data_image = end;"
wrong "symbol at the end of .text" "$one data_image = .; } > FLASH" "$by_region"
wrong "symbol behind .rodata" "$two } > FLASH data_image = .;" "$by_region"
refused "address at the end of .text" "$one data_image = .; } > FLASH" ".data : AT (ADDR(.text) + SIZEOF(.text)) { $data } > RAM"
refused "address at the end of .rodata" "$two } > FLASH" \
    ".data : AT (ADDR(.rodata) + SIZEOF(.rodata)) { $data } > RAM data_image = LOADADDR(.data);"
right "cured, symbol at the end of .text" "$one $cure data_image = .; } > FLASH" "$by_region"
link "$two $cure } > FLASH" ".data : AT (ADDR(.rodata) + SIZEOF(.rodata)) { $data } > RAM data_image = LOADADDR(.data);" || {
    echo "cured, address at the end of .rodata:"
    cat log
    exit 1
}

# Constants that the start-up code copies to RAM: the sites follow them there, and are not copied.
fast=".fast : { KEEP(*(.fast)) } > RAM AT > FLASH data_image = LOADADDR(.data);"
absent "behind constants in RAM" "$one } > FLASH" "$fast" "$by_region"
right "cured, behind constants in RAM" "$one $cure } > FLASH" "$fast" "$by_region"
refused "everything in .data" ".start : { KEEP(*(.vectors)) *(.text.reset) } > FLASH data_image = .;" \
    ".data : AT (data_image) { data_start = .; *(.text* .rodata*) *(.data*) . = ALIGN(4); data_end = .; } > RAM"
head=${head/FLASH/VECTORS (rx) : ORIGIN = 0x10000000, LENGTH = 16 FLASH}
refused "vectors in a region of their own" ".vectors : { KEEP(*(.vectors)) } > VECTORS" \
    ".text : { *(.text*) *(.rodata*) } > FLASH data_image = LOADADDR(.data);" "$by_region"

# lld puts sections that a script does not name after the assignments that follow a section.
linker=ld.lld
wrong "lld, symbol behind .rodata" "$two } > FLASH data_image = .;" "$by_region"
right "lld, cured" "$two $cure } > FLASH data_image = .;" "$by_region"

# A build that measures itself more than its program, and call stacks without the names that only lld gives by itself.
linker=arm-none-eabi-ld
"$top/runtime/amalgamate.sh" cortex-m cmsdk_uart -D KYMO_CLOCK_HZ=25000000 -D KYMO_RING_BYTES=16384 -D KYMO_CHECK=8 -D KYMO_TRACING_MODE=4 \
    -o . || exit 1
"${compiler[@]}" -O0 -g -c kymo.c app.c cortex-m/board.c cortex-m/start.c "$top/ports/nolibc/mem.c" || exit 1
link "$two $cure } > FLASH data_image = .;" "$by_region" || { cat log; exit 1; }
examined "without optimisation" 8 '^ 1\. ELF +it is compiled without optimisation \(-O0\)'
examined "without tables of functions" 8 '^ 2\. ELF +it records call stacks, which stay empty: .*__exidx_start'
examined "with KYMO_CHECK" 8 '^ +note +it checks each zone \(KYMO_CHECK\)'
echo "every form of linker script is right, or refused, or found"
