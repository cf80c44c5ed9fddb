#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The component of ESP-IDF in a project that plays ESP-IDF's build: the manifest's fields; its settings are all used and its
# knobs exist; it takes all of the runtime, compiles without a warning against models of the headers, and vanishes when it is
# switched off; its sections are those that linker.lf places. Then, on this machine, with models of the drivers and the
# kernel: a trace by each driver is whole, tasks have their names, and nothing waits; and by a model of esp_trace's core, whose
# encoder it is. Usage: esp_idf.sh HOSTLINK
set -u
hostlink=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
component=ports/vendor/esp-idf/kymo
model=$top/tests/package/esp_idf
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0
wrong() {
    echo "$*"
    status=1
}

# "idf_component.yml manifest file", documentation of Espressif's component manager: its fields.
version=$(sed -n 's/^project(kymo VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -qx "version: \"$version\"" $component/idf_component.yml || wrong "idf_component.yml: the version is not $version"
grep -qx 'license: MIT' $component/idf_component.yml || wrong "idf_component.yml: no SPDX licence"
known='version|targets|maintainers|description|license|tags|dependencies|files|url|repository|documentation|issues|examples'
unknown=$(grep -oE '^[a-z_]+:' $component/idf_component.yml | grep -vxE "($known):")
[ -z "$unknown" ] || wrong "idf_component.yml: no such field: $unknown"

# Settings: all used ones are defined, and all defined ones used, except the clock of esp_timer, which is the default,
# and the application's own way, which only leaves things out.
defined=$(sed -nE 's/^config (KYMO[A-Z_]*)$/\1/p' $component/Kconfig | sort -u)
used=$(grep -rhoE 'CONFIG_KYMO[A-Z_]*' $component --include='*.[ch]' --include=CMakeLists.txt | sed 's/^CONFIG_//' | sort -u)
[ "$(comm -13 <(echo "$defined") <(echo "$used"))" = "" ] ||
    wrong "used, not in Kconfig: $(comm -13 <(echo "$defined") <(echo "$used") | tr '\n' ' ')"
[ "$(comm -23 <(echo "$defined") <(echo "$used"))" = KYMO_CLOCK_TIMER ] ||
    wrong "in Kconfig, used nowhere: $(comm -23 <(echo "$defined") <(echo "$used") | tr '\n' ' ')"
# Knobs of the recorder that CMake takes from settings.
for knob in $(sed -nE 's/^ +(KYMO_[A-Z_]*)=.*/\1/p' $component/CMakeLists.txt); do
    grep -q "^#ifndef $knob\$" runtime/include/kymo/config.h || wrong "CMakeLists.txt: no knob is called $knob"
done

# settings FOLDER NAME=VALUE ...: sdkconfig.h and, for CMake, sdkconfig.cmake: the defaults of Kconfig, and these.
settings() {
    local folder=$1
    shift
    mkdir -p "$work/$folder"
    awk '/^config /{ name = $2 } /^choice /{ name = "" } /^\t(int|string) /{ valued = name }
        /^\tdefault / && name != "" && name == valued { print name "=" $2 }' \
        $component/Kconfig | cat - <(printf '%s\n' "$@") |
        awk -F= -v cmake="$work/$folder/sdkconfig.cmake" '{ value[$1] = $2 }
            END { for (name in value) {
                if (value[name] != "n") {
                    print "#define CONFIG_" name " " (value[name] == "y" ? 1 : value[name])
                    print "set(CONFIG_" name " " value[name] ")" >cmake } } }' >"$work/$folder/sdkconfig.h"
}

cat >"$work/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.20)
project(play LANGUAGES C)
include($top/cmake/warnings.cmake)
include(\${SETTINGS}/sdkconfig.cmake)
include_directories(SYSTEM \${SETTINGS} $model)
add_compile_definitions(ESP_PLATFORM _GNU_SOURCE LINE_BYTES=\${LINE})
set(CMAKE_C_FLAGS "-std=gnu17 -g1 \${FLAGS}")
add_library(esp_trace INTERFACE)
add_library(freertos STATIC $model/kernel.c)
target_link_libraries(freertos PUBLIC esp_trace)
function(idf_component_optional_requires)
endfunction()
macro(idf_component_get_property variable component property)
    set(\${variable} \${component})
endmacro()
macro(idf_component_register)
    cmake_parse_arguments(arg "" "WHOLE_ARCHIVE" "SRCS;INCLUDE_DIRS;REQUIRES;PRIV_REQUIRES;LDFRAGMENTS" \${ARGN})
    set(COMPONENT_LIB kymo)
    if(arg_SRCS)
        add_library(kymo STATIC \${arg_SRCS})
        target_include_directories(kymo PUBLIC \${arg_INCLUDE_DIRS})
        kymo_warnings(kymo)
        list(JOIN arg_SRCS "\n" text)
        file(WRITE \${CMAKE_BINARY_DIR}/sources "\${text}\n")
    else()
        add_library(kymo INTERFACE)
        target_include_directories(kymo INTERFACE \${arg_INCLUDE_DIRS})
    endif()
    foreach(file \${arg_LDFRAGMENTS})
        if(NOT EXISTS \${CMAKE_CURRENT_LIST_DIR}/\${file})
            message(FATAL_ERROR "no fragment \${file}")
        endif()
    endforeach()
endmacro()
# The linker finds the sections here: the component's settings of their bounds are ESP-IDF's.
function(target_link_options)
endfunction()
add_subdirectory($top/$component component)
add_executable(app $model/program.c $model/drivers.c)
target_link_libraries(app PRIVATE kymo freertos)
TEXT

# build FOLDER OPTION ...
build() {
    local folder=$1
    shift
    { cmake -G Ninja -S "$work" -B "$work/$folder" "-DSETTINGS=$work/$folder" -DLINE=10 "$@" && cmake --build "$work/$folder"; } \
        >"$work/log" 2>&1 && ! grep -q 'warning:' "$work/log" && return
    wrong "$folder: does not build without a warning:"
    tail -n 20 "$work/log"
    return 1
}

# rows FILE: each task has a row, and its zones are there
rows() {
    python3 -B - "$1" <<'PYTHON'
import collections, json, sys
events = json.load(open(sys.argv[1], encoding="utf-8"))
events = events["traceEvents"] if isinstance(events, dict) else events
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
found = collections.Counter((names.get(e.get("tid")), e["name"]) for e in events if e["ph"] in "XB")
wrong = "kymo" not in names.values()
for task, zone, count in (("main", "round", 300), ("worker", "work", 200), ("guest", "short", 10)):
    wrong |= found[task, zone] != count
# 300 ticks of 10 ms, across any wraps.
times = [e["ts"] for e in events if e["ph"] in "XB" and e["name"] == "round"]
wrong |= times != sorted(times) or not 2.9e6 < times[-1] - times[0] < 3.2e6
if wrong:
    print(names, found, times[-1] - times[0])
sys.exit(wrong)
PYTHON
}

# trace FOLDER: the program's events, with no more lost than it reports
trace() {
    local folder=$1
    timeout 900 "$work/$folder/app" >"$work/$folder/t.kymo" 2>"$work/log" || { wrong "$folder: $(tail -n 3 "$work/log")" && return; }
    "$hostlink" convert "$work/$folder/t.kymo" -o "$work/$folder/t.csv" >"$work/out" 2>&1
    tail -n 1 "$work/out" | grep -qE '^events: emitted ([0-9]+) delivered \1 lost 0$' || wrong "$folder: $(tail -n 3 "$work/out")"
    for zone in round:300 work:200 short:10; do
        grep -q "^${zone%:*},.*,${zone#*:}," "$work/$folder/t.csv" ||
            wrong "$folder: not ${zone#*:} of ${zone%:*}: $(cat "$work/$folder/t.csv")"
    done
    "$hostlink" convert "$work/$folder/t.kymo" -o "$work/$folder/t.json" >/dev/null 2>&1
    rows "$work/$folder/t.json" || wrong "$folder: rows"
    # A host that came later.
    tail -c +1500 "$work/$folder/t.kymo" >"$work/$folder/late.kymo"
    "$hostlink" convert "$work/$folder/late.kymo" -o "$work/$folder/late.json" >"$work/out" 2>&1
    grep -q '"name": *"main"' "$work/$folder/late.json" || wrong "$folder: a late host has no names: $(tail -n 3 "$work/out")"
}

common=(KYMO_SEND_BYTES=512 FREERTOS_UNICORE=y KYMO=y KYMO_TASKS=y 'IDF_TARGET="esp32c3"' ESP_DEFAULT_CPU_FREQ_MHZ=160)
uart=(KYMO_WAY_UART=y KYMO_UART_TX_PIN=4 KYMO_UART_RX_PIN=5)
settings uart "${common[@]}" "${uart[@]}"
settings usb "${common[@]}" KYMO_WAY_USB_SERIAL_JTAG=y KYMO_CLOCK_CYCLES=y
for way in uart usb; do
    build $way -DFLAGS=-fsanitize=undefined\ -fno-sanitize-recover=all && trace $way
done
# esp_trace's external library: the kernel's hooks come by its header, and tasks have states.
settings states "${common[@]}" "${uart[@]}" KYMO_TASKS=n KYMO_STATES=y ESP_TRACE_ENABLE=y ESP_TRACE_LIB_EXTERNAL=y 'ESP_TRACE_LIB_NAME="ext"'
build states -DFLAGS=-fsanitize=undefined\ -fno-sanitize-recover=all && trace states && {
    "$hostlink" convert "$work/states/t.kymo" -o "$work/states/t.events.csv" >/dev/null 2>&1
    grep -q 'by esp_trace' "$work/states/t.events.csv" || wrong "esp_trace_write(): no message"
    ! grep -q 'while stopped' "$work/states/t.events.csv" || wrong "esp_trace_stop(): it still records"
    "$hostlink" stats --tasks "$work/states/t.kymo" >"$work/out" 2>&1
    grep -qE '^ *worker .*' "$work/out" || wrong "no table of tasks: $(cat "$work/out")"
}
for source in runtime/src/*/*.c; do
    grep -qF "/${source}" "$work/uart/sources" || wrong "the component does not compile $source"
done

# The console's UART stops the build.
settings console "${common[@]}" "${uart[@]}" ESP_CONSOLE_UART=y ESP_CONSOLE_UART_NUM=1
cc -fsyntax-only -I "$work/console" -I "$model" -I $component -Iruntime/include $component/kymo_esp.c 2>"$work/log" &&
    wrong "the console's UART is not refused"
grep -q "is the console's UART" "$work/log" || wrong "console: $(head -n 2 "$work/log")"

# ESP-IDF's link fails where a section is in no script: linker.lf has all of ours. As the chips' compiler makes them.
settings chip "${common[@]}" "${uart[@]}"
for source in runtime/src/{send/init,record/lifecycle,record/record}.c $component/kymo_esp.c "$model/program.c"; do
    riscv64-unknown-elf-gcc -march=rv32imc_zicsr -mabi=ilp32 -std=gnu17 -specs=picolibc.specs -Os -DESP_PLATFORM -D_GNU_SOURCE \
        -Wall -Wextra -Werror -I "$work/chip" -I "$model" -I $component -Iruntime/include -Iruntime/src -c "$source" \
        -o "$work/chip.o" || wrong "$source: not for a chip"
    riscv64-unknown-elf-readelf -SW "$work/chip.o"
done | sed -nE 's/.* (\.?kymo_[a-z_]+) .*/\1/p' | sort -u >"$work/sections"
grep -qx kymo_sites "$work/sections" || wrong "no section of sites"
while read -r section; do
    grep -qE "^    $section\$" $component/linker.lf || wrong "linker.lf does not place $section"
done <"$work/sections"

# Off: nothing of it, and no hooks.
settings off KYMO=n FREERTOS_UNICORE=y
build off
[ ! -e "$work/off/sources" ] || wrong "CONFIG_KYMO=n: there is still a library"
! grep -q 'short' <(strings "$work/off/app" | grep -x short) || wrong "CONFIG_KYMO=n: the name of a zone is in the image"
exit $status
