# SPDX-License-Identifier: MIT
# The tests of the runtime: for every way to reserve and every width of the clock. Each tree builds
# two of these four, so that each compiler meets each ring and each width. gcc has all four in the
# trees "host" and "sanitize" together; code that the sanitizers do not build has all four in "host"
# and "clang". hostlink's own decoder (trace.c) reads the board's stream.
add_library(test_witness STATIC witness.c ${CMAKE_SOURCE_DIR}/hostlink/wire/decode.c
    ${CMAKE_SOURCE_DIR}/hostlink/wire/unpack.c)
target_include_directories(test_witness PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}
    ${CMAKE_SOURCE_DIR}/hostlink ${CMAKE_SOURCE_DIR}/runtime/include)
target_compile_definitions(test_witness PUBLIC _GNU_SOURCE)
kymo_warnings(test_witness)

set(KYMO_TEST_VARIANTS
    masked64:KYMO_FAKE_CLOCK_BITS=64,KYMO_FAKE_ATOMIC=0
    masked32:KYMO_FAKE_CLOCK_BITS=32,KYMO_FAKE_ATOMIC=0
    atomic64:KYMO_FAKE_CLOCK_BITS=64,KYMO_FAKE_ATOMIC=1
    atomic32:KYMO_FAKE_CLOCK_BITS=32,KYMO_FAKE_ATOMIC=1)
set(KYMO_TEST_LABELS masked32 atomic64)
if(KYMO_HOST_TREE)
    set(KYMO_TEST_LABELS masked64 atomic32)
endif()

# kymo_runtime_unit(<name> [EACH] [OPTIMISED] [SOURCES <source> ...] [DEFINITIONS <KNOB=value> ...]):
# test_<name>.c as unit.<name>.<variant>. EACH: all four, for a test of one tree only.
function(kymo_runtime_unit name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "EACH;OPTIMISED" "" "SOURCES;DEFINITIONS")
    set(options "")
    if(arg_OPTIMISED)
        set(options OPTIONS -O2)
    endif()
    foreach(variant IN LISTS KYMO_TEST_VARIANTS)
        string(REPLACE ":" ";" variant ${variant})
        list(GET variant 0 label)
        list(GET variant 1 knobs)
        string(REPLACE "," ";" knobs ${knobs})
        if(NOT arg_EACH AND NOT label IN_LIST KYMO_TEST_LABELS)
            continue()
        endif()
        kymo_test_runtime(runtime_${name}_${label} ${knobs} ${arg_DEFINITIONS} ${options})
        kymo_unit_from(${name}.${label} test_${name}.c trace.c ${arg_SOURCES}
            LIBRARIES runtime_${name}_${label} test_witness)
        if(arg_OPTIMISED)
            target_compile_options(test_${name}.${label} PRIVATE -O2)
        endif()
    endforeach()
endfunction()

kymo_runtime_unit(ring SOURCES player.c
    DEFINITIONS KYMO_LANES=3 KYMO_RING_BYTES=256 KYMO_LATENCY_MS=0)

kymo_runtime_unit(misuse SOURCES player.c
    DEFINITIONS KYMO_LANES=3 KYMO_RING_BYTES=256 KYMO_LATENCY_MS=0)
# The same calls, and right ones, looked at by KYMO_CHECK.
set(check KYMO_CHECK=12 KYMO_LANES=3 KYMO_LATENCY_MS=0)
kymo_runtime_unit(check SOURCES player.c DEFINITIONS ${check} KYMO_RING_BYTES=1024)
foreach(atomic 0 1)
    kymo_test_runtime(runtime_misuse_check.${atomic} ${check} KYMO_RING_BYTES=256 KYMO_FAKE_ATOMIC=${atomic})
    kymo_unit_from(misuse.check.${atomic} test_misuse.c player.c trace.c
        LIBRARIES runtime_misuse_check.${atomic} test_witness)
    kymo_test_runtime(runtime_newest_check.${atomic} KYMO_CHECK=12 KYMO_LANES=8 KYMO_LATENCY_MS=0
        KYMO_RING_BYTES=8192 KYMO_KEEP_NEWEST=1 KYMO_FAKE_ATOMIC=${atomic})
    kymo_unit_from(check.newest.${atomic} test_check.c player.c trace.c
        LIBRARIES runtime_newest_check.${atomic} test_witness)
    kymo_unit_from(other_lane.newest.${atomic} test_other_lane.c trace.c
        LIBRARIES runtime_newest_check.${atomic} test_witness)
endforeach()
# More lanes than a call has work to look at, and requests made without a look at the link.
kymo_runtime_unit(other_lane DEFINITIONS KYMO_LANES=8 KYMO_RING_BYTES=256 KYMO_LATENCY_MS=0 KYMO_LARGE=2
    KYMO_DRAIN_INSTRUCTIONS=2000)
# Events that are counted in a later call than they are encoded in.
kymo_test_runtime(runtime_other_lane_contexts KYMO_LANES=3 KYMO_RING_BYTES=256 KYMO_LATENCY_MS=0 KYMO_CONTEXTS=4
    KYMO_DRAIN_INSTRUCTIONS=2000)
kymo_unit_from(other_lane.contexts test_other_lane.c trace.c LIBRARIES runtime_other_lane_contexts test_witness)

kymo_runtime_unit(bad_start DEFINITIONS KYMO_LANES=3 KYMO_RING_BYTES=256 KYMO_LATENCY_MS=0)
kymo_test_runtime(runtime_lane_check KYMO_LANES=1 KYMO_CHECK=8 KYMO_LANE_NUMBER=0 KYMO_RING_BYTES=256 KYMO_LATENCY_MS=0)
kymo_unit_from(bad_start.lane_check test_bad_start.c trace.c LIBRARIES runtime_lane_check test_witness)

# Plain compiler output, without a sanitizer's calls between the instructions: so it would be the
# same test again in the tree of the sanitizers.
set(KYMO_STEPS OFF)
if(NOT KYMO_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(KYMO_STEPS ON)
    kymo_runtime_unit(singlestep EACH OPTIMISED SOURCES kept.c player.c preempt.c
        DEFINITIONS KYMO_LANES=1 KYMO_RING_BYTES=1024 KYMO_PACKET_BYTES=192 KYMO_PAYLOAD_WORDS=16
            KYMO_LATENCY_MS=0)
    foreach(atomic 0 1)
        kymo_test_runtime(runtime_singlestep_check.${atomic} KYMO_CHECK=12 KYMO_FAKE_ATOMIC=${atomic} KYMO_LANES=1
            KYMO_RING_BYTES=1024 KYMO_PACKET_BYTES=192 KYMO_PAYLOAD_WORDS=16 KYMO_LATENCY_MS=0 OPTIONS -O2)
        kymo_unit_from(singlestep.check.${atomic} test_singlestep.c kept.c trace.c player.c preempt.c
            LIBRARIES runtime_singlestep_check.${atomic} test_witness)
        target_compile_options(test_singlestep.check.${atomic} PRIVATE -O2)
    endforeach()
endif()

# Without optimisation, so that steps of several instructions on other cores are several here.
if(KYMO_STEPS)
    foreach(atomic 0 1)
        kymo_test_runtime(runtime_usage_step.${atomic} KYMO_CHECK=1 KYMO_FAKE_ATOMIC=${atomic} KYMO_LANES=1
            KYMO_RING_BYTES=1024 KYMO_LATENCY_MS=0 KYMO_DYNAMIC_SITES=2 KYMO_LARGE=2
            OPTIONS -O0)
        kymo_unit_from(usage_step.${atomic} test_usage_step.c kept.c trace.c preempt.c
            LIBRARIES runtime_usage_step.${atomic} test_witness)
        target_compile_options(test_usage_step.${atomic} PRIVATE -O2)
    endforeach()
endif()

if(KYMO_STEPS)
    foreach(name prefix overtaken)
        kymo_runtime_unit(${name} EACH OPTIMISED SOURCES preempt.c preempt_each.c
            DEFINITIONS KYMO_LANES=1 KYMO_RING_BYTES=256 KYMO_PACKET_BYTES=192 KYMO_PAYLOAD_WORDS=16 KYMO_LATENCY_MS=0)
    endforeach()
    kymo_runtime_unit(two_preemptions EACH OPTIMISED SOURCES preempt.c
        DEFINITIONS KYMO_LANES=1 KYMO_RING_BYTES=256 KYMO_PACKET_BYTES=192 KYMO_PAYLOAD_WORDS=16 KYMO_LATENCY_MS=0)
endif()
# Samples by a walk that the test plays.
kymo_runtime_unit(sample DEFINITIONS KYMO_SAMPLE_HZ_MAX=100000 KYMO_CALLSTACKS=8 KYMO_FAKE_UNWIND=1 KYMO_LANES=2 KYMO_RING_BYTES=1024
    KYMO_LATENCY_MS=0)
# Call stacks by a walk that the test plays; and a zone with its stack as the record with a prefix.
set(stacks KYMO_CALLSTACKS=8 KYMO_FAKE_UNWIND=1 KYMO_LANES=2 KYMO_RING_BYTES=1024 KYMO_LATENCY_MS=0)
kymo_runtime_unit(callstack DEFINITIONS ${stacks} KYMO_TRACING_MODE=4)
kymo_test_runtime(runtime_callstack_check ${stacks} KYMO_TRACING_MODE=4 KYMO_CHECK=12)
kymo_unit_from(callstack.check test_callstack.c trace.c LIBRARIES runtime_callstack_check test_witness)
foreach(mode 1 2 3)
    kymo_test_runtime(runtime_callstack_mode_${mode} ${stacks} KYMO_TRACING_MODE=${mode})
    kymo_unit_from(callstack.mode_${mode} test_callstack.c trace.c LIBRARIES runtime_callstack_mode_${mode} test_witness)
endforeach()
if(KYMO_STEPS)
    foreach(name sample_step prefix_zone)
        kymo_runtime_unit(${name} EACH OPTIMISED SOURCES preempt.c preempt_each.c
            DEFINITIONS KYMO_LANES=1 KYMO_RING_BYTES=256 KYMO_PAYLOAD_WORDS=16 KYMO_LATENCY_MS=0 KYMO_CALLSTACKS=2
                KYMO_FAKE_UNWIND=1 KYMO_SAMPLE_HZ_MAX=1000)
    endforeach()
    foreach(atomic 0 1)
        kymo_test_runtime(runtime_prefix_zone.newest.${atomic} KYMO_KEEP_NEWEST=1 KYMO_FAKE_ATOMIC=${atomic} KYMO_LANES=1
            KYMO_RING_BYTES=1024 KYMO_PAYLOAD_WORDS=16
            KYMO_CALLSTACKS=2 KYMO_FAKE_UNWIND=1 OPTIONS -O2)
        kymo_unit_from(prefix_zone.newest.${atomic} test_prefix_zone.c preempt.c preempt_each.c trace.c
            LIBRARIES runtime_prefix_zone.newest.${atomic} test_witness)
    endforeach()
endif()
# Functions that are zones by themselves.
set_source_files_properties(runtime/record/functions_called.c PROPERTIES COMPILE_OPTIONS -finstrument-functions)
set(optimised "")
if(KYMO_STEPS)
    set(optimised OPTIMISED)
endif()
kymo_runtime_unit(functions ${optimised} SOURCES functions_called.c DEFINITIONS KYMO_FUNCTIONS=8 KYMO_TASKS=2 KYMO_LANES=2
    KYMO_RING_BYTES=1024 KYMO_LATENCY_MS=0)
# A thread that is over, with the same runtime.
foreach(variant IN LISTS KYMO_TEST_LABELS)
    if(variant MATCHES atomic)
        kymo_unit_from(lane_left.${variant} test_lane_left.c trace.c LIBRARIES runtime_functions_${variant} test_witness)
        if(KYMO_STEPS)
            kymo_unit_from(lane_left_step.${variant} test_lane_left_step.c preempt.c preempt_each.c trace.c
                LIBRARIES runtime_functions_${variant} test_witness)
        endif()
    endif()
endforeach()
# One recorder for two tests, as each takes as long to compile as the tests to run.
set(stepped KYMO_LANES=1 KYMO_RING_BYTES=512 KYMO_PAYLOAD_WORDS=16 KYMO_LATENCY_MS=0 KYMO_FUNCTIONS=8 KYMO_TASKS=2
    KYMO_TASK_LIMITS=2)
if(KYMO_STEPS)
    kymo_runtime_unit(function_step EACH OPTIMISED SOURCES functions_called.c preempt.c preempt_each.c DEFINITIONS ${stepped})
endif()

kymo_runtime_unit(stuck DEFINITIONS KYMO_LANES=2 KYMO_RING_BYTES=1024 KYMO_LATENCY_MS=0 KYMO_TASKS=2)
kymo_runtime_unit(task_limits DEFINITIONS KYMO_LANES=2 KYMO_RING_BYTES=256 KYMO_LATENCY_MS=0 KYMO_TASKS=2 KYMO_TASK_LIMITS=3)
if(KYMO_STEPS)
    kymo_runtime_unit(task_limits_step EACH OPTIMISED SOURCES preempt.c preempt_each.c DEFINITIONS ${stepped})
endif()

# Cores whose counters differ.
kymo_test_runtime(runtime_core_clock KYMO_LANES=2 KYMO_RING_BYTES=1024 KYMO_LATENCY_MS=0 KYMO_CORE_CLOCKS=1)
kymo_unit_from(core_clock test_core_clock.c LIBRARIES runtime_core_clock test_witness)

# Sites that are made at run time.
kymo_runtime_unit(dynamic_sites SOURCES kept.c
    DEFINITIONS KYMO_LANES=2 KYMO_RING_BYTES=4096 KYMO_LATENCY_MS=0 KYMO_DYNAMIC_SITES=8)
kymo_runtime_unit(clock_changes SOURCES kept.c
    DEFINITIONS KYMO_LANES=2 KYMO_RING_BYTES=1024 KYMO_LATENCY_MS=0 KYMO_CLOCK_CHANGES=1)
kymo_runtime_unit(large DEFINITIONS KYMO_LANES=2 KYMO_RING_BYTES=1024 KYMO_LATENCY_MS=0 KYMO_LARGE=2 KYMO_DEVICES=1)
foreach(variant IN LISTS KYMO_TEST_LABELS)
    target_link_libraries(test_dynamic_sites.${variant} PRIVATE hostlink_core)
    target_link_libraries(test_clock_changes.${variant} PRIVATE hostlink_core)
    target_link_libraries(test_large.${variant} PRIVATE hostlink_core)
    kymo_unit_from(devices.${variant} test_devices.c trace.c
        LIBRARIES runtime_large_${variant} hostlink_core test_witness)
    # Many spans of the clock.
    kymo_unit_from(long_clock.${variant} test_long_clock.c trace.c LIBRARIES runtime_clock_changes_${variant} hostlink_core
        INCLUDES runtime/src)
endforeach()

# From memory to a trace; this program is its own board, at fixed addresses.
kymo_runtime_unit(dump SOURCES player.c board_image.c
    DEFINITIONS KYMO_LANES=2 KYMO_RING_BYTES=1024 KYMO_WIRE_SLOTS=62 KYMO_LATENCY_MS=0)
foreach(variant IN LISTS KYMO_TEST_LABELS)
    target_link_libraries(test_dump.${variant} PRIVATE hostlink_core)
    target_link_options(test_dump.${variant} PRIVATE -no-pie)
endforeach()
kymo_runtime_unit(dump_dynamic SOURCES board_image.c
    DEFINITIONS KYMO_LANES=2 KYMO_RING_BYTES=1024 KYMO_LATENCY_MS=0 KYMO_DYNAMIC_SITES=4)
foreach(variant IN LISTS KYMO_TEST_LABELS)
    target_link_libraries(test_dump_dynamic.${variant} PRIVATE hostlink_core)
    target_link_options(test_dump_dynamic.${variant} PRIVATE -no-pie)
endforeach()

# The flight recorder, with each width of the clock.
foreach(variant IN LISTS KYMO_TEST_LABELS)
    string(REGEX MATCH "[0-9]+" bits ${variant})
    string(COMPARE EQUAL ${variant} atomic${bits} atomic)
    set(options "")
    if(KYMO_STEPS)
        set(options OPTIONS -O2)
    endif()
    kymo_test_runtime(runtime_newest.${variant} KYMO_KEEP_NEWEST=1 KYMO_FAKE_CLOCK_BITS=${bits} KYMO_FAKE_ATOMIC=${atomic}
        KYMO_LANES=2 KYMO_RING_BYTES=1024 KYMO_PAYLOAD_WORDS=16 KYMO_WIRE_SLOTS=62 ${options})
    kymo_unit_from(newest.${variant} test_newest.c newest_board.c trace.c
        LIBRARIES runtime_newest.${variant} test_witness)
    kymo_unit_from(misuse.newest.${variant} test_misuse.c player.c trace.c
        LIBRARIES runtime_newest.${variant} test_witness)
    kymo_unit_from(long_clock.newest.${variant} test_long_clock.c trace.c LIBRARIES runtime_newest.${variant} hostlink_core
        INCLUDES runtime/src)
    if(NOT atomic)
        kymo_unit_from(newest_reset.${variant} test_newest_reset.c newest_board.c trace.c
            LIBRARIES runtime_newest.${variant} test_witness)
        kymo_unit_from(newest_dump.${variant} test_newest_dump.c newest_board.c board_image.c trace.c
            LIBRARIES runtime_newest.${variant} test_witness hostlink_core)
        target_link_options(test_newest_dump.${variant} PRIVATE -no-pie)
    endif()
    if(KYMO_STEPS)
        kymo_unit_from(prefix.newest.${variant} test_prefix.c preempt.c preempt_each.c trace.c
            LIBRARIES runtime_newest.${variant} test_witness)
        kymo_unit_from(singlestep.newest.${variant} test_newest_preemption.c newest_board.c preempt.c trace.c
            LIBRARIES runtime_newest.${variant} test_witness)
        target_compile_options(test_prefix.newest.${variant} PRIVATE -O2)
        target_compile_options(test_singlestep.newest.${variant} PRIVATE -O2)
    endif()
endforeach()

kymo_unit_from(packet test_packet.c player.c LIBRARIES runtime_masked test_witness)
foreach(slots 8 16 32 62)
    kymo_test_runtime(runtime_encode_${slots} KYMO_WIRE_SLOTS=${slots} KYMO_PACKET_BYTES=4096)
    kymo_unit_from(encode.${slots} test_encode.c player.c
        LIBRARIES runtime_encode_${slots} test_witness)
endforeach()
kymo_unit_from(drain test_drain.c trace.c player.c LIBRARIES runtime_masked test_witness)
kymo_test_runtime(runtime_line KYMO_LANES=1)
kymo_unit_from(line test_line.c trace.c LIBRARIES runtime_line test_witness)
kymo_test_runtime(runtime_at_once KYMO_LANES=2 KYMO_LATENCY_MS=0)
foreach(name command message)
    kymo_unit_from(${name} test_${name}.c trace.c player.c LIBRARIES runtime_at_once test_witness)
endforeach()

# Commands over a network, in an image without a key and in one with a key.
kymo_unit_from(siphash test_siphash.c INCLUDES runtime/include)
kymo_test_runtime(runtime_keyed KYMO_LANES=2 KYMO_LATENCY_MS=0 ${KYMO_TEST_KEY})
kymo_unit_from(guard test_guard.c trace.c LIBRARIES runtime_at_once test_witness)
kymo_unit_from(guard.keyed test_guard.c trace.c LIBRARIES runtime_keyed test_witness)

find_package(Threads REQUIRED)
link_libraries(Threads::Threads)

# The POSIX port, with each of its clocks.
kymo_unity_runtime(runtime_posix ARCH posix TRANSPORTS posix_fd
    DEFINITIONS KYMO_LANES=5 KYMO_LATENCY_MS=1000)
kymo_unit_from(posix test_posix.c trace.c LIBRARIES runtime_posix test_witness INCLUDES runtime/src)
target_link_options(test_posix PRIVATE -Wl,--wrap=pthread_setspecific)
kymo_unity_runtime(runtime_posix_full_wait ARCH posix
    DEFINITIONS KYMO_LANES=5 KYMO_LATENCY_MS=0 KYMO_RING_BYTES=4096 KYMO_FULL_WAIT_MS=1000)
kymo_unit_from(posix.full_wait test_posix_full_wait.c trace.c LIBRARIES runtime_posix_full_wait test_witness INCLUDES runtime/src)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
    kymo_unity_runtime(runtime_posix_tsc ARCH posix TRANSPORTS posix_fd
        DEFINITIONS KYMO_LANES=5 KYMO_LATENCY_MS=0 KYMO_CLOCK=1)
    kymo_unit_from(posix.tsc test_posix.c trace.c LIBRARIES runtime_posix_tsc test_witness
        INCLUDES runtime/src)
    target_link_options(test_posix.tsc PRIVATE -Wl,--wrap=pthread_setspecific)
endif()

# Damages its stack, which a sanitizer would not like.
if(NOT KYMO_SANITIZE)
    kymo_unit_from(posix.callstack test_posix_callstack.c ${CMAKE_SOURCE_DIR}/tests/ports/callstack.c
        ${CMAKE_SOURCE_DIR}/ports/unwind/frames.c
        INCLUDES runtime/include ports/arch/posix tests/ports DEFINITIONS KYMO_LANES=2 CHECK_NO_TRAP)
    target_compile_options(test_posix.callstack PRIVATE -O2 -fno-omit-frame-pointer -fno-stack-protector)
endif()

# The same through the macros, of threads and of a signal handler.
if(NOT KYMO_SANITIZE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|aarch64|i.86")
    kymo_unity_runtime(runtime_posix_stacks ARCH posix
        DEFINITIONS KYMO_LANES=5 KYMO_LATENCY_MS=0 KYMO_TRACING_MODE=4)
    kymo_unit_from(posix.stacks test_posix_stacks.c trace.c LIBRARIES runtime_posix_stacks test_witness INCLUDES runtime/src)
    kymo_unity_runtime(runtime_posix_sample ARCH posix
        DEFINITIONS KYMO_LANES=5 KYMO_LATENCY_MS=0 KYMO_CALLSTACKS=8 KYMO_SAMPLE_HZ_MAX=10000)
    kymo_unit_from(posix.sample test_posix_sample.c trace.c LIBRARIES runtime_posix_sample test_witness INCLUDES runtime/src)
endif()

# Walks its own stack, by a clock that stands still between a stack and its event.
if(NOT KYMO_SANITIZE)
    kymo_test_runtime(runtime_callstack KYMO_LANES=1 KYMO_RING_BYTES=65536 KYMO_CALLSTACKS=62 KYMO_FAKE_UNWIND=1)
    add_library(walk_frames STATIC ${CMAKE_SOURCE_DIR}/ports/unwind/frames.c)
    target_include_directories(walk_frames PRIVATE ${CMAKE_SOURCE_DIR}/runtime/include ${CMAKE_SOURCE_DIR}/ports/arch/posix)
    target_compile_definitions(walk_frames PRIVATE KYMO_LANES=2)
    kymo_unit_from(callstack_cost test_callstack_cost.c ${CMAKE_SOURCE_DIR}/hostlink/wire/events_packet.c
        ${CMAKE_SOURCE_DIR}/hostlink/wire/compose.c ${CMAKE_SOURCE_DIR}/hostlink/base/utf8.c
        LIBRARIES runtime_callstack walk_frames test_witness
        INCLUDES runtime/src)
    set(options -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-pie -fno-stack-protector)
    target_compile_options(walk_frames PRIVATE ${options})
    target_compile_options(test_callstack_cost PRIVATE ${options} -fno-inline)
    target_link_options(test_callstack_cost PRIVATE -no-pie)
endif()

# kymo_threads_unit(<name> [OPTIONS <of compiler and linker> ...] [DEFINITIONS <KNOB=value> ...])
function(kymo_threads_unit name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;DEFINITIONS")
    kymo_unity_runtime(runtime_${name} ARCH posix
        DEFINITIONS KYMO_LANES=4 KYMO_RING_BYTES=16384 KYMO_LATENCY_MS=0 ${arg_DEFINITIONS})
    kymo_unit_from(${name} test_threads.c trace.c ${CMAKE_SOURCE_DIR}/hostlink/wire/decode.c
        ${CMAKE_SOURCE_DIR}/hostlink/wire/unpack.c
        LIBRARIES runtime_${name} INCLUDES runtime/src hostlink DEFINITIONS _GNU_SOURCE)
    foreach(target runtime_${name} test_${name})
        target_compile_options(${target} PRIVATE -O2 ${arg_OPTIONS})
    endforeach()
    target_link_options(test_${name} PRIVATE ${arg_OPTIONS})
endfunction()
kymo_threads_unit(threads)
kymo_threads_unit(threads.newest DEFINITIONS KYMO_KEEP_NEWEST=1)
# By gcc: clang has its runtime in a package of its own.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT KYMO_SANITIZE)
    # A fence that is not understood is no matter: the runtime is compiled without, see lane.h.
    kymo_threads_unit(threads.tsan OPTIONS -fsanitize=thread $<$<C_COMPILER_ID:GNU>:-Wno-tsan>)
    kymo_threads_unit(threads.newest.tsan OPTIONS -fsanitize=thread -Wno-tsan DEFINITIONS KYMO_KEEP_NEWEST=1)
    target_compile_definitions(test_threads.newest.tsan PRIVATE ROUNDS=500u)
endif()

# Those that compute most are optimised under the sanitizers, too: they take a quarter of the time to run, and a second more to
# compile.
if(KYMO_SANITIZE)
    set(heavy encode.8 encode.16 encode.32 encode.62)
    foreach(variant IN LISTS KYMO_TEST_LABELS)
        list(APPEND heavy ring.${variant} dump.${variant})
    endforeach()
    set(targets test_witness runtime_masked runtime_masked_trace test_packet)
    foreach(name IN LISTS heavy)
        string(REPLACE "." "_" recorder runtime_${name})
        list(APPEND targets test_${name} ${recorder} ${recorder}_trace)
    endforeach()
    foreach(target IN LISTS targets)
        if(TARGET ${target})
            target_compile_options(${target} PRIVATE -O1)
        endif()
    endforeach()
endif()
