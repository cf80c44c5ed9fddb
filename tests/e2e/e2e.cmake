# SPDX-License-Identifier: MIT
# End to end: the board's image in its emulator, through hostlink, judged on what arrives.

# Perfetto's trace processor takes ten times as long as judge.py's own readers and reads what the same sinks wrote: it reads
# the outputs of one board with two cores and of one with one core, judge.py alone those of the others.
set(own_tree OFF)
if(CMAKE_BINARY_DIR STREQUAL "${CMAKE_SOURCE_DIR}/build/${KYMO_BOARD}")
    set(own_tree ON)
endif()
set(KYMO_JUDGES KYMO_OWN_READERS=1)
if(own_tree AND KYMO_BOARD MATCHES "^(qemu-virt-riscv64|mps2-an385)$")
    set(KYMO_JUDGES "")
endif()

# kymo_as_one(<recorder> [option ...]): as one source, in a third of the time; transports have names in common.
function(kymo_as_one recorder)
    target_compile_options(${recorder} PRIVATE ${ARGN})
    kymo_find_transports(transports folders ${BOARD_TRANSPORTS})
    set_source_files_properties(${transports} TARGET_DIRECTORY ${recorder} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set_target_properties(${recorder} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
endfunction()
# In half of the time where another tree has the same code as users have it.
set(quickly -O1 -g1)
# Each source for itself on one board of each of two compilers, whose outputs are judged whole.
if(KYMO_JUDGES AND (KYMO_BOARD_KNOBS OR NOT KYMO_BOARD_LINK STREQUAL "uart"))
    kymo_as_one(kymo_board ${quickly})
elseif(KYMO_JUDGES)
    kymo_as_one(kymo_board)
endif()

# kymo_test_recorder(<name> <knob> ...): a recorder with the board's other knobs, for images of tests.
function(kymo_test_recorder name)
    set(knobs ${BOARD_DEFINITIONS})
    foreach(knob IN LISTS ARGN)
        string(REGEX REPLACE "=.*" "=" knob "${knob}")
        list(FILTER knobs EXCLUDE REGEX "^${knob}")
    endforeach()
    kymo_add_runtime(${name} ARCH ${BOARD_ARCH} TRANSPORTS ${BOARD_TRANSPORTS} DEFINITIONS ${knobs} ${ARGN} NO_LIBC)
    if(name STREQUAL "kymo_stacks") # the walk begins in the recorder's own frames
        kymo_as_one(${name})
    else()
        kymo_as_one(${name} ${quickly})
    endif()
endfunction()

# A board whose port is set up wrong says so. kymo_wrong(<knob that makes it so> <what hostlink says> <its last line>)
function(kymo_wrong knob sentence events)
    if(knob IN_LIST KYMO_BOARD_KNOBS)
        kymo_script_test(wrong.${KYMO_BOARD} tests/e2e/wrong.sh ${CMAKE_BINARY_DIR}
            ${CMAKE_SOURCE_DIR}/build/host/hostlink/hostlink ${sentence} ${events})
        set_tests_properties(wrong.${KYMO_BOARD} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()
kymo_wrong(KYMO_FIRST_CORE=1 "refuses events of a core that has no lane"
    "^events: emitted [1-9][0-9]* delivered [1-9][0-9]* lost 0")
kymo_wrong(KYMO_CLOCK_ADDRESS=0x0200bff0 "the board's clock stood still at its start, so it records nothing"
    "^events: emitted 0 delivered 0 lost 0")
if(TEST wrong.${KYMO_BOARD})
    return()
endif()

# A board that does not know the rate of its clock sends the same events as one that does, with other times.
if("KYMO_CLOCK_HZ=0" IN_LIST KYMO_BOARD_KNOBS)
    kymo_script_test(clock.${KYMO_BOARD} tests/e2e/clock.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/build/host)
    set_tests_properties(clock.${KYMO_BOARD} PROPERTIES RUN_SERIAL ON)
    return()
endif()

# A board on a network that has a key obeys only hosts that have the key.
if(KYMO_BOARD_KNOBS MATCHES "KYMO_COMMAND_KEY=")
    kymo_script_test(keyed.${KYMO_BOARD} tests/e2e/keyed.sh ${CMAKE_BINARY_DIR}
        ${CMAKE_SOURCE_DIR}/build/host/hostlink/hostlink)
    set_tests_properties(keyed.${KYMO_BOARD} PROPERTIES RUN_SERIAL ON ENVIRONMENT "${KYMO_JUDGES}")
    return()
endif()

# A program of C++, by each compiler of one board, and with the names in the ELF file.
if(KYMO_BOARD STREQUAL "qemu-virt-riscv64" AND KYMO_BOARD_LINK STREQUAL "uart")
    add_subdirectory(cxx)
endif()

# Tracy's markup, and IREE's, by each compiler of one board; what the compiler does not change by one.
if(KYMO_BOARD STREQUAL "qemu-virt-riscv64" AND KYMO_BOARD_LINK STREQUAL "uart" AND NOT KYMO_BOARD_KNOBS)
    add_subdirectory(tracy)
    add_subdirectory(iree)
    if(own_tree)
        add_subdirectory(grid)
        add_subdirectory(kernel)
        add_subdirectory(cores)
    endif()
endif()

# Call stacks, and every function a zone, by each compiler and family of cores. These have the code of mps2-an385,
# mps2-an505, qemu-virt-aarch64, microbit, qemu-virt-riscv32 and qemu-virt-riscv64, but for the compiler's choice among
# the same instructions.
get_filename_component(tree ${CMAKE_BINARY_DIR} NAME)
set(same_code mps2-an500 mps3-an547 netduinoplus2 qemu-virt-riscv32-no-a raspi3 raspi3-mini-uart raspberry-pi-pico sifive-hifive1
    sifive-unleashed)
if(KYMO_BOARD_LINK STREQUAL "uart" AND NOT KYMO_BOARD_KNOBS AND NOT tree IN_LIST same_code)
    add_subdirectory(callstack)
    add_subdirectory(sampling)
    add_subdirectory(functions)
endif()

# The core's own counts by zone, where the emulator counts.
if(own_tree AND KYMO_BOARD MATCHES "^qemu-virt-(riscv64|riscv32|aarch64)$")
    add_subdirectory(counters)
endif()

# A board that has its names only in the ELF file.
if("KYMO_NAMES=0" IN_LIST KYMO_BOARD_KNOBS)
    kymo_script_test(elf.${KYMO_BOARD} tests/e2e/elf.sh ${CMAKE_BINARY_DIR}
        ${CMAKE_SOURCE_DIR}/build/host/hostlink/hostlink)
    set_tests_properties(elf.${KYMO_BOARD} PROPERTIES RUN_SERIAL ON FIXTURES_SETUP capture.uart
        ENVIRONMENT "${KYMO_JUDGES}")
    kymo_script_test(wire.${KYMO_BOARD} python3 -B tests/wire/compare.py
        ${CMAKE_SOURCE_DIR}/build/host/tests/wire/dump_events --captures ${CMAKE_BINARY_DIR}/e2e.uart/demo.kymo)
    set_tests_properties(wire.${KYMO_BOARD} PROPERTIES FIXTURES_REQUIRED capture.uart)
    return()
endif()

if(NOT own_tree)
    list(REMOVE_ITEM BOARD_LINK plug one_core) # the board's own tree has them
endif()
foreach(link IN LISTS BOARD_LINK)
    kymo_script_test(e2e.${KYMO_BOARD}.${link}
        tests/e2e/${link}.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/build/host/hostlink/hostlink)
    set_tests_properties(e2e.${KYMO_BOARD}.${link} PROPERTIES RUN_SERIAL ON FIXTURES_SETUP capture.${link}
        ENVIRONMENT "${KYMO_JUDGES}")
endforeach()

# The capture that tests/e2e/<link>.sh leaves in e2e.<link>, through the decoder written from WIRE.md: one board
# of each family of cores. judge.py has the counts of the others, and the events of the other links are the same.
set(same_core mps2-an500 mps2-an505 mps3-an547 netduinoplus2 pc-i386 raspi3 raspberry-pi-pico sifive-hifive1 sifive-unleashed
    mps2-an385-clang qemu-virt-riscv32-clang qemu-virt-riscv32-no-a raspi3-mini-uart)
if(KYMO_BOARD_LINK MATCHES "^(uart|recorder)$" AND KYMO_BOARD_LINK IN_LIST BOARD_LINK AND NOT tree IN_LIST same_core)
    kymo_script_test(wire.${KYMO_BOARD} python3 -B tests/wire/compare.py
        ${CMAKE_SOURCE_DIR}/build/host/tests/wire/dump_events --captures ${CMAKE_BINARY_DIR}/e2e.${KYMO_BOARD_LINK}/demo.kymo)
    set_tests_properties(wire.${KYMO_BOARD} PROPERTIES FIXTURES_REQUIRED capture.${KYMO_BOARD_LINK})
endif()

# Another link carries the same events as the board's serial port, one by one. (The recorder's has two runs.)
if(NOT KYMO_BOARD_LINK MATCHES "^(uart|recorder)$")
    kymo_script_test(same.${KYMO_BOARD}.${KYMO_BOARD_LINK} python3 -B tests/e2e/same.py
        ${CMAKE_SOURCE_DIR}/build/host/tests/wire/dump_events
        ${CMAKE_SOURCE_DIR}/build/${KYMO_BOARD}/e2e.uart/demo.kymo
        ${CMAKE_BINARY_DIR}/e2e.${KYMO_BOARD_LINK}/demo.kymo)
    set_tests_properties(same.${KYMO_BOARD}.${KYMO_BOARD_LINK} PROPERTIES
        FIXTURES_REQUIRED capture.${KYMO_BOARD_LINK})
endif()

# Live to a viewer, from one board of each family of cores; where the outputs are judged whole, also replayed to viewers of
# every protocol of Tracy.
if("uart" IN_LIST BOARD_LINK AND NOT tree IN_LIST same_core)
    set(protocols "")
    if(NOT KYMO_JUDGES)
        set(protocols 63 64 66 69 74 76 82)
    endif()
    kymo_script_test(tracy.${KYMO_BOARD} tests/e2e/tracy.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/build/host ${protocols})
    set_tests_properties(tracy.${KYMO_BOARD} PROPERTIES RUN_SERIAL ON)
endif()

# The acceptance program, on a board with two cores and on one with one.
if(KYMO_BOARD MATCHES "^(qemu-virt-riscv64|mps2-an385)$" AND KYMO_BOARD_LINK STREQUAL "uart" AND
        CMAKE_BINARY_DIR STREQUAL "${CMAKE_SOURCE_DIR}/build/${KYMO_BOARD}")
    kymo_script_test(e2e.${KYMO_BOARD}.accept boards/accept.sh ${KYMO_BOARD} --emulator)
    set_tests_properties(e2e.${KYMO_BOARD}.accept PROPERTIES RUN_SERIAL ON)
endif()
kymo_slow(7 e2e.${KYMO_BOARD}.plug)
