#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Zephyr module in a project that plays Zephyr's build: it takes all of the runtime, compiles without a warning
# against the model of Zephyr's headers, knows each of its settings, refuses a UART that others write to, and vanishes
# when it is switched off. Its sample finds the module with west and without.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
module=ports/rtos/zephyr
compiler=${CC:-cc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
status=0

wrong() {
    echo "$*"
    status=1
}

# Zephyr's lookup: where the build's files are, from the top folder.
for key in cmake kconfig; do
    path=$(sed -n "s/^  $key: //p" zephyr/module.yml)
    [ -e "${path:-not said}" ] || wrong "zephyr/module.yml: $key: '$path' is not there"
done

# Settings: all that are used are defined, and the other way round.
defined=$(sed -nE 's/^(menu)?config (KYMO[A-Z_]*)$/\2/p' $module/Kconfig | sort -u)
used=$(grep -rhoE 'CONFIG_KYMO[A-Z_]*' $module --include='*.[ch]' --include=CMakeLists.txt --include='*.conf' |
    sed 's/^CONFIG_//' | sort -u)
[ "$(comm -13 <(echo "$defined") <(echo "$used"))" = "" ] ||
    wrong "used, not in $module/Kconfig: $(comm -13 <(echo "$defined") <(echo "$used") | tr '\n' ' ')"
# Choosing the application's own way only leaves things out.
[ "$(comm -23 <(echo "$defined") <(echo "$used"))" = KYMO_WAY_OWN ] ||
    wrong "in $module/Kconfig, used nowhere: $(comm -23 <(echo "$defined") <(echo "$used") | tr '\n' ' ')"

cat >"$work/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.20)
project(play LANGUAGES C)
include($top/cmake/warnings.cmake)
macro(zephyr_include_directories)
    target_include_directories(zephyr_interface INTERFACE \${ARGN})
endmacro()
macro(zephyr_compile_definitions)
    target_compile_definitions(zephyr_interface INTERFACE \${ARGN})
endmacro()
macro(zephyr_compile_options)
    target_compile_options(zephyr_interface INTERFACE \${ARGN})
endmacro()
macro(zephyr_cc_option)
    zephyr_compile_options(\${ARGN})
endmacro()
macro(zephyr_library_named name)
    add_library(\${name} STATIC)
    target_link_libraries(\${name} PRIVATE zephyr_interface)
    kymo_warnings(\${name})
endmacro()
macro(zephyr_library_include_directories)
    target_include_directories(kymo PRIVATE \${ARGN})
endmacro()
macro(zephyr_library_sources)
    target_sources(kymo PRIVATE \${ARGN})
endmacro()
macro(zephyr_library_sources_ifdef setting)
    if(\${setting})
        target_sources(kymo PRIVATE \${ARGN})
    endif()
endmacro()
macro(zephyr_linker_sources location file)
    if(NOT EXISTS \${CMAKE_CURRENT_LIST_DIR}/\${file})
        message(FATAL_ERROR "no linker source \${location} \${file}")
    endif()
endmacro()
add_library(zephyr_interface INTERFACE)
target_include_directories(zephyr_interface INTERFACE $top/tests/unit/zephyr)
set(settings CONFIG_MP_MAX_NUM_CPUS=2 CONFIG_64BIT CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER
    CONFIG_KYMO_CLOCK_HZ=0 CONFIG_KYMO_REUSED_THREADS=32 CONFIG_KYMO_UART_SEND_BYTES=1024 CONFIG_SYS_CLOCK_TICKS_PER_SEC=100
    CONFIG_KYMO_WAY_UART CONFIG_KYMO_IMAGE="play" CONFIG_KYMO_THREAD_PERIOD_MS=5
    CONFIG_KYMO_THREAD_STACK_BYTES=1024 CONFIG_KYMO_THREAD_PRIORITY=14)
target_compile_definitions(zephyr_interface INTERFACE KERNEL __ZEPHYR__=1 \${settings} \${MORE})
set(CONFIG_MP_MAX_NUM_CPUS 2)
set(CONFIG_KYMO_RING_BYTES 4096)
set(CONFIG_KYMO_CONTEXTS 16)
set(CONFIG_KYMO_TASKS 32)
set(CONFIG_KYMO_TRACING_MODE 2 CACHE STRING "")
set(CONFIG_KYMO_CALLSTACK_FRAMES 16)
add_subdirectory($top/$module module)
add_executable(app app.c)
target_link_libraries(app PRIVATE zephyr_interface)
if(TARGET kymo)
    get_target_property(sources kymo SOURCES)
    list(JOIN sources "\n" text)
    file(WRITE \${CMAKE_BINARY_DIR}/sources "\${text}\n")
endif()
TEXT
cat >"$work/app.c" <<'TEXT'
#include "kymo/kymo.h"

int main(void) {
    KYMO_ZONE("only in the trace");
    return 0;
}
TEXT

# build FOLDER TARGET SETTING ...
build() {
    local folder=$1 target=$2
    shift 2
    { cmake -G Ninja -S "$work" -B "$work/$folder" "${@/#/-D}" && cmake --build "$work/$folder" --target "$target"; } \
        >"$work/log" 2>&1 && ! grep -q 'warning:' "$work/log" && return
    wrong "$folder: does not build without a warning:"
    tail -n 20 "$work/log"
}

build on kymo CONFIG_KYMO=y CONFIG_KYMO_KERNEL=y CONFIG_KYMO_WAY_UART=y
for source in runtime/src/*/*.c; do
    grep -qxF "$top/$source" "$work/on/sources" ||
        wrong "the module does not compile $source"
done
# Call stacks by frame pointers.
build stacks kymo CONFIG_KYMO=y CONFIG_KYMO_CALLSTACKS=y CONFIG_KYMO_TRACING_MODE=4 \
    'MORE=CONFIG_KYMO_CALLSTACKS;CONFIG_THREAD_STACK_INFO;CONFIG_ISR_STACK_SIZE=4096'
nm -u "$work/stacks/module/libkymo.a" | grep -q kymo_zephyr_stack_end || wrong "stacks: the walk does not ask for the end"
uses_no_frames() {
    "$compiler" -fsyntax-only -std=c11 -I "$top/tests/unit/zephyr" -I "$top/runtime/include" -I "$top/$module" -DCONFIG_64BIT \
        -DCONFIG_KYMO_CLOCK_HZ=0 -DKYMO_LANES=1 -DCONFIG_KYMO_CALLSTACKS -DCONFIG_THREAD_STACK_INFO -DCONFIG_ISR_STACK_SIZE=4096 \
        "${@/#/-D}" $module/stack.c 2>"$work/log"
}
uses_no_frames || wrong "stack.c does not compile: $(head -n 2 "$work/log")"
uses_no_frames CONFIG_OMIT_FRAME_POINTER && wrong "call stacks without frame pointers are not refused"
grep -q 'set CONFIG_OMIT_FRAME_POINTER to n' "$work/log" || wrong "without frame pointers: $(head -n 2 "$work/log")"
build off app
[ ! -e "$work/off/sources" ] || wrong "CONFIG_KYMO=n: there is still a library"
! grep -q 'only in the trace' "$work/off/app" || wrong "CONFIG_KYMO=n: the name of a zone is in the image"

# Whatever writes to the UART of the trace stops the build, by the name of its option. Those of whom the model's
# devicetree has no node are asked with the console's, as far as they take that.
uses() {
    "$compiler" -fsyntax-only -std=c11 -I "$top/tests/unit/zephyr" "${@/#/-D}" -x c $module/uart_users.h 2>"$work/log"
}
refuses() {
    local option=$1
    uses "$@" && wrong "$*: not refused" && return
    grep -q "\"$option writes to the UART of kymo,uart" "$work/log" || wrong "$*: $(head -n 2 "$work/log")"
}
uses CONFIG_UART_CONSOLE CONFIG_X86_VERY_EARLY_CONSOLE CONFIG_LOG_BACKEND_UART CONFIG_SHELL_BACKEND_SERIAL ||
    wrong "another UART is refused: $(head -n 2 "$work/log")"
for option in UART_CONSOLE X86_VERY_EARLY_CONSOLE CONSOLE_GETCHAR LOG_BACKEND_UART LOG_FRONTEND_DICT_UART \
    INSTRUMENTATION BT_DEBUG_MONITOR_UART; do
    refuses CONFIG_$option NODE_zephyr_console=1
done
refuses CONFIG_SHELL_BACKEND_SERIAL NODE_zephyr_shell_uart=1
refuses CONFIG_LOG_BACKEND_UART NODE_zephyr_log_uart=1
refuses CONFIG_TRACING_BACKEND_UART NODE_zephyr_tracing_uart=1
uses CONFIG_LOG_BACKEND_UART NODE_zephyr_log_uart=3 NODE_zephyr_console=1 ||
    wrong "the log has a UART of its own: $(head -n 2 "$work/log")"
grep -q '"uart_users.h"' $module/sender.c || wrong "sender.c does not look who else uses the UART"

# The sample. Zephyr's build takes modules from ZEPHYR_MODULES or, in a workspace of west, from there, and only where
# there are such also those of ZEPHYR_EXTRA_MODULES.
mkdir "$work/Zephyr"
cat >"$work/Zephyr/ZephyrConfig.cmake" <<'TEXT'
set(Zephyr_FOUND TRUE)
set(WEST ${PLAYED_WEST} CACHE INTERNAL "")
if(Zephyr_FIND_COMPONENTS)
    return()
endif()
set(modules ${ZEPHYR_MODULES})
if(WEST AND NOT modules)
    set(modules of_the_workspace)
endif()
if(modules)
    list(APPEND modules ${ZEPHYR_EXTRA_MODULES})
endif()
file(WRITE ${CMAKE_BINARY_DIR}/modules "${modules}")
add_custom_target(app)
function(target_sources target scope source)
    if(NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/${source})
        message(FATAL_ERROR "no source ${source}")
    endif()
endfunction()
TEXT
# sample NAME MODULES SETTING ...: which modules the build then has
sample() {
    local name=$1 expected=$2
    shift 2
    cmake -G Ninja -S $module/sample -B "$work/$name" "-DZephyr_DIR=$work/Zephyr" "${@/#/-D}" >"$work/log" 2>&1 ||
        { wrong "sample, $name: $(tail -n 5 "$work/log")" && return; }
    local modules
    modules=$(tr ';' '\n' <"$work/$name/modules" | sort -u | tr '\n' ' ')
    [ "$modules" = "$expected " ] || wrong "sample, $name: its modules are '$modules', expected '$expected'"
}
sample without_west "$top" PLAYED_WEST=
sample west "$top of_the_workspace" PLAYED_WEST=west
sample modules_by_hand "$top of_mine" PLAYED_WEST= ZEPHYR_MODULES=of_mine
sample threads "$top" PLAYED_WEST= KYMO_SAMPLE=threads
exit $status
