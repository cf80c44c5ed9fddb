#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every header that an application may include compiles by itself in C++11 and C++20, and its
# functions have C linkage: the names that the linker looks for are not mangled.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
count=0
warnings=(-Wall -Wextra -Wpedantic -Werror -Wconversion -Wsign-conversion -Wshadow -Wundef -Wdouble-promotion -Wcast-qual
    -fno-exceptions -fno-rtti)

# Headers that belong to the inside of a port or of the runtime, or need another's headers.
inside='baud|dma_send|each_byte|fifo|mmio|nrf_registers|whole_packets|lwip_raw|usb_tinyusb|usb_constants'
inside+='|usb_descriptors|usb_standard|net_bytes|language|site|site_cxx|message|message_cxx|macros'
headers=$(ls runtime/include/kymo/*.h ports/transport/*.h ports/usb/*.h ports/net/{kymo_net,virtio_net}.h ports/vendor/*.h |
    grep -vE "/($inside)\.h$")

# names FILE: the functions that the header declares and does not define, but those of other headers.
names() { sed -nE 's/^[a-z][a-z0-9_ ]*[ *](kymo_[a-z0-9_]+)\([^;{]*(;|,)$/\1/p' "$1" | grep -v '^kymo_interrupt_cleanup$' | sort -u; }

for header in $headers; do
    name=${header#runtime/include/}
    case $name in kymo/*) ;; *) name=$(basename "$name") ;; esac
    {
        echo "#include \"$name\""
        # A function that KYMO_ENABLE 0 replaces, or another option leaves out, is no function there.
        for function in $(names "$header" | grep -vE '^kymo_(message_of|arch_.*|unwind_.*)$'); do
            echo "extern void *const use_$function = reinterpret_cast<void *>(&$function);"
        done
    } >"$work/use.cpp"
    for compiler in g++ clang++; do
        for dialect in 'c++20 -fsyntax-only' c++11; do
            count=$((count + 1))
            # shellcheck disable=SC2086
            $compiler "${warnings[@]}" -std=$dialect -Iruntime/include -Iports/transport -Iports/usb -Iports/net \
                -Iports/vendor -Itests/unit/stm32_hal -Itests/unit/pico_sdk -Itests/fake -Itests/package/tflm -c "$work/use.cpp" -o "$work/object" >"$work/log" 2>&1 || {
                echo "$header: $compiler -std=$dialect:"
                grep -E 'warning|error' "$work/log" | head -n 5
                status=1
                break
            }
        done
        nm -u "$work/object" 2>/dev/null | grep ' _Z' && {
            echo "$header: $compiler: functions of C++, not of C"
            status=1
        }
    done
done
[ $status -ne 0 ] || echo "$count compilations of $(wc -w <<<"$headers") headers"
exit $status
