#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks which files may include which headers: no arrow of the design points back.
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0

# forbid FOLDER PATTERN WHY: no #include in FOLDER may match PATTERN (extended regular expression).
forbid() {
    local found
    found=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*$2" "$1" --include='*.[chS]' | grep -v "^$1/client/") || return 0
    echo "$1: $3:"
    echo "$found"
    bad=1
}

# allow PLACE PATTERN WHY: every #include in the file or folder must match PATTERN.
allow() {
    local found
    found=$(grep -rHnE '^[[:space:]]*#[[:space:]]*include' "$1" --include='*.[chS]' |
        grep -vE "include(_next)?[[:space:]]*($2)") || return 0
    echo "$1: $3:"
    echo "$found"
    bad=1
}

freestanding='<(stdint|stddef|stdbool|stdarg|stdatomic|limits)\.h>'
allow runtime/include "$freestanding|\"(kymo|tracy/common)/[A-Za-z_]+\.h\"|\"kymo_(arch|counters)\.h\"" \
    "only freestanding headers, its own, and the chosen port's"
own="$freestanding|\"kymo/[a-z_]+\.h\"|\"[a-z_]+\.h\""
# The recorder's rooms. Recording and sending code know the rings; markup knows the recording code.
allow runtime/src/ring "$own" "a ring knows no event's meaning and no link"
allow runtime/src/record "$own|\"\.\./ring/[a-z_]+\.h\"|\"\.\./send/(clock|link)\.h\"" "recording knows the rings"
allow runtime/src/send "$own|\"\.\./(ring|record)/[a-z_]+\.h\"" "sending knows the rings and what is recorded"
allow runtime/src/markup "$own|\"\.\./(ring|record)/[a-z_]+\.h\"" "markup knows what records"
forbid runtime '"(ports|boards|hostlink)' "the runtime knows no port, board or host"
if grep -rnE '__(arm|aarch64|riscv|x86_64|i386|thumb)[a-z_]*' runtime --include='*.[ch]'; then
    echo "runtime: architectures belong into ports/arch"
    bad=1
fi

# Files with posix in the name use an operating system, those with lwip use lwIP, ports/vendor uses the vendors'
# libraries.
while read -r file; do
    allow "$file" "$freestanding|\"kymo/[a-z_]+\.h\"|\"[a-z0-9_]+\.h\"" \
        "only freestanding headers, the contracts, and its own"
done < <(find ports -name '*.[chS]' ! -path '*posix*' ! -path '*lwip*' ! -path 'ports/rtos/*' ! -path 'ports/vendor/*')
allow ports/rtos/zephyr "$freestanding|<errno\.h>|<version\.h>|<zephyr/[a-z_/]+\.h>|<tracing_user\.h>|\"(kymo/)?[a-z_]+\.h\"" \
    "only freestanding headers, Zephyr's, the contracts, and its own"
allow ports/rtos/freertos "$freestanding|\"(freertos/)?(FreeRTOS|task)\.h\"|\"(kymo/)?[a-z_]+\.h\"" \
    "only freestanding headers, FreeRTOS's, the contracts, and its own"
allow ports/rtos/threadx "$freestanding|\"(kymo/)?[a-z_]+\.h\"" \
    "only freestanding headers, ThreadX's, the contracts, and its own"
allow ports/rtos/nuttx "$freestanding|<nuttx/[a-z_]+\.h>|\"(kymo/)?[a-z_]+\.h\"" \
    "only freestanding headers, NuttX's, the contracts, and its own"
allow ports/vendor "$freestanding|<(Arduino|stdlib|reent)\.h>|\"(kymo|hardware|pico|driver|freertos|tensorflow/lite/micro)/[A-Za-z_]+\.h\"|\"[a-z0-9_]+\.h\"" \
    "only freestanding headers, the vendors', the contracts, and its own"
forbid ports '"(\.\./|src/|ring\.h|lane\.h|encode\.h|packet\.h)' "ports use the contracts, not the runtime's inside"
forbid boards '"(\.\./|src/|ring\.h|lane\.h|encode\.h|packet\.h)' "boards use public headers"

# hostlink/client is the program that it is in, too.
forbid hostlink '"kymo/(kymo|config|constants|arch|transport|message|macros|site|language)\.h"' "of the runtime, hostlink knows wire.h, kinds.h, memory.h and siphash.h only"
forbid hostlink '"(\.\./|ports|boards|runtime)' "hostlink stands alone"
# Only platform/ sees the system: its headers, and which system it is.
portable='assert|ctype|errno|float|fnmatch|inttypes|limits|math|setjmp|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings|sys/types|time'
if grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<' hostlink --include='*.[ch]' |
    grep -vE "^hostlink/(platform|client)/|include[[:space:]]*<($portable)\.h>"; then
    echo "hostlink: system headers belong into hostlink/platform"
    bad=1
fi
if grep -rnE '^[[:space:]]*#.*\b(_WIN32|WIN32|__linux__|__APPLE__)\b' hostlink --include='*.[ch]' | grep -vE '^hostlink/(platform|client)/'; then
    echo "hostlink: what differs by system belongs into hostlink/platform"
    bad=1
fi
# Its folders, each with those it may see; cli/ sees them all. A sink and a viewer see events, not what made them.
within() {
    allow "hostlink/$1" "<[A-Za-z0-9_/]+\.h>|\"platform/[a-z_]+\.h\"|\"kymo/(wire|kinds|memory|siphash)\.h\"|\"$1/[a-z0-9_]+\.h\"|\"($2)\.h\"" \
        "hostlink's folders depend on each other one way only"
}
within base 'base/[a-z0-9_]+'
within platform 'base/[a-z0-9_]+|system/[a-z]+|windows/[a-z]+'
within source 'base/[a-z0-9_]+'
within capture '(base|wire)/[a-z0-9_]+'
within wire 'base/[a-z0-9_]+'
within clock 'base/[a-z0-9_]+|wire/[a-z0-9_]+'
within model 'base/[a-z0-9_]+|(wire|clock)/[a-z0-9_]+|model/continuity/[a-z0-9_]+'
allow hostlink/model/continuity "<[A-Za-z0-9_/]+\.h>|\"kymo/wire\.h\"|\"(base|wire|model/continuity)/[a-z0-9_]+\.h\"" \
    "which packets follow, repeat or cannot be believed knows nothing of what they say"
within device 'base/[a-z0-9_]+|(wire|clock)/[a-z0-9_]+|model/(event|names)'
within trace 'base/[a-z0-9_]+|(wire|clock|model|model/continuity)/[a-z0-9_]+|device/devices'
within sink 'base/[a-z0-9_]+|model/(event|board_info|consumer|large|symbols)'
within report 'base/[a-z0-9_]+|model/(event|symbols)|sink/[a-z0-9_]+'
within elf 'base/[a-z0-9_]+|wire/site_entry'
within dump 'base/[a-z0-9_]+|(elf|wire)/[a-z0-9_]+'
within import 'base/[a-z0-9_]+|(elf|wire)/[a-z0-9_]+'
within tracy 'base/[a-z0-9_]+|model/(board_info|consumer|event|large|viewer|symbols)'
within symbol 'base/[a-z0-9_]+|elf/(call_frames|elf|functions)|model/(code_table|symbols)'
allow hostlink/client "<[a-z0-9_/]+\.h>|\"client/[a-z_]+\.h\"|\"kymo/(arch|kymo|tracy)\.h\"|\"tracy/TracyC\.h\"|\"(base|elf|model|platform|symbol|trace|tracy|wire)/[a-z0-9_]+\.h\"" \
    "of the runtime the client knows what a program does, of hostlink the pipeline and Tracy's side"
forbid hostlink '"client/' "hostlink stands alone"
for folder in runtime ports boards hostlink; do
    forbid $folder '"tests?/' "nothing includes the tests"
done
exit $bad
