# SPDX-License-Identifier: MIT
# A board: the demo firmware, built for it and run on it.
#
# boards/NAME/board.cmake sets, and does nothing else:
#   BOARD_TOOLCHAIN      name of a file cmake/toolchain-NAME.cmake
#   BOARD_FLAGS          compiler options of core, ABI and memory model
#   BOARD_ARCH           arch port
#   BOARD_TRANSPORTS     transport ports
#   BOARD_DEFINITIONS    knobs of kymo/config.h and of the demo
#   BOARD_SOURCES        start-up and board code, in the board's folder
#   BOARD_LINKER_SCRIPT  in the board's folder
#   BOARD_NO_LIBRARY     optional: links nothing of the compiler's own library, which may not be there
#   BOARD_FINISH         optional: command that turns the linked @IMAGE@ into the board's format, in its @FOLDER@
#   BOARD_LINKS          optional: what KYMO_BOARD_LINK may be on this board, "uart" if it does not say. By
#                        KYMO_BOARD_LINK it chooses among its transports, sources, definitions and commands
#   BOARD_LINK           the link chosen, and others that are tried with it: one test e2e.NAME.<link> each
#   BOARD_RUN            command that boots @IMAGE@ with its serial port on the unix socket @SOCKET@,
#                        waits for a client there, and ends with the firmware's exit status.
#                        With @PORT@ in place of @SOCKET@ it serves that TCP port of 127.0.0.1: a unix
#                        socket holds some 280 single bytes, TCP hundreds of KiB, which helps where the
#                        emulated UART drops bytes that the reader is too slow for
#   BOARD_RUN_PASS       optional: the status by which that command says 0, where it cannot say that itself
# The flash command is in the board's README.md.

set(KYMO_BOARD_PROGRAM "" CACHE FILEPATH "A source file to build for the board in place of the demo")
set(KYMO_BOARD_LINK uart CACHE STRING "The board's way to the host: one of its BOARD_LINKS")
set(KYMO_DEMO_SHARE 1 CACHE STRING "With N, an Nth of the demo's images and sensor cycles, for tests")
set(KYMO_BOARD_KNOBS "" CACHE STRING "NAME=VALUE in place of the board's own definitions of these names")

macro(kymo_load_board name)
    set(BOARD_FOLDER ${CMAKE_CURRENT_LIST_DIR}/boards/${name})
    if(NOT EXISTS ${BOARD_FOLDER}/board.cmake)
        message(FATAL_ERROR "KYMO_BOARD=${name}: there is no ${BOARD_FOLDER}/board.cmake")
    endif()
    set(BOARD_LINKS uart)
    include(${BOARD_FOLDER}/board.cmake)
    foreach(knob IN LISTS KYMO_BOARD_KNOBS)
        string(REGEX REPLACE "=.*" "=" knob_name "${knob}")
        list(FILTER BOARD_DEFINITIONS EXCLUDE REGEX "^${knob_name}")
        list(APPEND BOARD_DEFINITIONS "${knob}")
    endforeach()
    if(NOT KYMO_BOARD_LINK IN_LIST BOARD_LINKS)
        message(FATAL_ERROR "KYMO_BOARD_LINK=${KYMO_BOARD_LINK}: the board ${name} has '${BOARD_LINKS}'")
    endif()
    if(NOT CMAKE_TOOLCHAIN_FILE)
        set(CMAKE_TOOLCHAIN_FILE
            ${CMAKE_CURRENT_LIST_DIR}/cmake/toolchain-${BOARD_TOOLCHAIN}.cmake CACHE FILEPATH "")
    endif()
endmacro()

# The command that boots the image, as a script "run SOCKET" (or "run PORT") beside it.
function(kymo_write_runner folder)
    set(image ${folder}/firmware.elf)
    set(words "")
    set(argument SOCKET)
    if(BOARD_RUN MATCHES "@PORT@")
        set(argument PORT)
    endif()
    foreach(word IN LISTS BOARD_RUN)
        string(REPLACE "@IMAGE@" "${image}" word "${word}")
        string(REPLACE "@FOLDER@" "${folder}" word "${word}")
        string(REGEX REPLACE "@(SOCKET|PORT)@" "\$1" word "${word}")
        string(APPEND words " \"${word}\"")
    endforeach()
    # More options of the emulator, for counting instructions.
    string(APPEND words " $KYMO_RUN_OPTIONS")
    if(BOARD_RUN_PASS)
        string(APPEND words "\nstatus=$?\n[ $status -ne ${BOARD_RUN_PASS} ] || status=0\nexit $status")
    else()
        string(PREPEND words "exec")
    endif()
    file(WRITE ${folder}/run "#!/bin/sh\n# run ${argument}: boots the image.\n${words}\n")
    file(CHMOD ${folder}/run PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# The options of the board's core, for all targets of this folder.
macro(kymo_board_options)
    set(flags ${BOARD_FLAGS})
    if(KYMO_MARCH_DROP)
        string(REPLACE "${KYMO_MARCH_DROP}" "" flags "${flags}")
    endif()
    add_link_options(${flags})
    list(FILTER flags EXCLUDE REGEX "^-(L|Wl,)")
    add_compile_options(${flags} -ffreestanding -fno-common -ffunction-sections -fdata-sections
        # Names of files as in the tree, wherever that stands.
        -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
    set(library $<$<C_COMPILER_ID:GNU>:gcc>)
    if(BOARD_NO_LIBRARY)
        set(library "")
    elseif(KYMO_LIBRARY_OF)
        execute_process(COMMAND ${KYMO_LIBRARY_OF} ${flags} -print-libgcc-file-name
            OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    endif()
endmacro()

# An image of the program's sources for the board: folder/firmware.elf. Its recorder is kymo_board, or the one that
# KYMO_BOARD_RUNTIME names.
function(kymo_board_image target folder)
    set(runtime kymo_board)
    if(KYMO_BOARD_RUNTIME)
        set(runtime ${KYMO_BOARD_RUNTIME})
    endif()
    set(sources ${BOARD_SOURCES})
    list(TRANSFORM sources PREPEND ${BOARD_FOLDER}/)
    add_executable(${target} ${ARGN} ${sources})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME firmware SUFFIX .elf
        RUNTIME_OUTPUT_DIRECTORY ${folder}
        LINK_DEPENDS ${BOARD_FOLDER}/${BOARD_LINKER_SCRIPT})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/boards/common ${BOARD_FOLDER})
    kymo_warnings(${target})
    target_link_options(${target} PRIVATE -nostdlib -static
        -Wl,--gc-sections -Wl,--fatal-warnings -T ${BOARD_FOLDER}/${BOARD_LINKER_SCRIPT}
        -Wl,-Map=${folder}/firmware.map)
    target_link_libraries(${target} PRIVATE ${runtime} ${library})
    if(BOARD_FINISH)
        string(REPLACE "@IMAGE@" "${folder}/firmware.elf" finish "${BOARD_FINISH}")
        string(REPLACE "@FOLDER@" "${folder}" finish "${finish}")
        add_custom_command(TARGET ${target} POST_BUILD COMMAND ${finish} VERBATIM)
    endif()
    kymo_write_runner(${folder})
endfunction()

function(kymo_add_board)
    kymo_board_options()
    kymo_add_runtime(kymo_board ARCH ${BOARD_ARCH} TRANSPORTS ${BOARD_TRANSPORTS}
                     DEFINITIONS ${BOARD_DEFINITIONS} NO_LIBC)
    set(program ${KYMO_DEMO_SOURCES})
    if(KYMO_BOARD_PROGRAM)
        set(program ${KYMO_BOARD_PROGRAM} ${CMAKE_SOURCE_DIR}/boards/common/text.c)
    endif()
    kymo_board_image(firmware ${CMAKE_BINARY_DIR} ${program})
    target_compile_definitions(firmware PRIVATE DEMO_SHARE=${KYMO_DEMO_SHARE})
    # Built on demand, by boards/accept.sh.
    set(common ${CMAKE_SOURCE_DIR}/boards/common)
    kymo_board_image(firmware_accept ${CMAKE_BINARY_DIR}/accept ${common}/accept.c ${common}/count.c ${common}/host_line.c
        ${common}/text.c)
    set_target_properties(firmware_accept PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()
