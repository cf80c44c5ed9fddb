#!/usr/bin/env bash
# The USB device stack and its drivers compile without a warning by every compiler for every core, and need nothing
# but memcpy() and memset(), which runtime/src/mem.c has; on Arm clang calls them by the names of Arm's run-time
# ABI, which are in the compiler's own library.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/freestanding/compilers.sh
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

link_usb() {
    local name=$1 objects=() source object undefined
    shift
    for source in ports/usb/*.c; do
        object=$work/$name-$(basename "$source").o
        "$@" "${freestanding_flags[@]}" -Wno-unused-command-line-argument -Os -c "$source" -o "$object" || return 1
        objects+=("$object")
    done
    "$@" -nostdlib -r "${objects[@]}" -o "$work/$name.part" -Wno-unused-command-line-argument || return 1
    nm "$work/$name.part" | grep -q ' usb_cdc_init$' || {
        echo "$name: there is no usb_cdc_init: this test links nothing"
        return 1
    }
    undefined=$(nm -u "$work/$name.part" | grep -vE ' (mem(cpy|set)|__aeabi_mem(cpy|clr)[48])$')
    if [ -n "$undefined" ]; then
        echo "$name: undefined in a relocatable link of ports/usb:"
        echo "$undefined"
        return 1
    fi
    echo "$name: nothing undefined"
}

# The code of ports/usb/README.md.
readme() {
    sed -n '/^```c$/,/^```$/p' ports/usb/README.md | grep -v '^```' >"$work/readme.c"
    grep -q usb_cdc_init "$work/readme.c" || {
        echo "ports/usb/README.md has no code"
        return 1
    }
    arm-none-eabi-gcc -std=c11 -ffreestanding -mcpu=cortex-m4 -mthumb -Wall -Wextra -Werror -Wno-unused-function \
        -Iruntime/include -Iports/usb -Iports/transport -Iports/arch/cortex-m -c "$work/readme.c" -o "$work/readme.o"
}

freestanding_each link_usb && readme
