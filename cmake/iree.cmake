# SPDX-License-Identifier: MIT
# The tracing provider of IREE's runtime, as the target kymo_iree, for IREE's own build:
#
#   -DCMAKE_PROJECT_IREE_INCLUDE=<kymo>/cmake/iree.cmake -DIREE_ENABLE_RUNTIME_TRACING=ON
#   -DIREE_TRACING_PROVIDER=kymo_iree -DIREE_TRACING_PROVIDER_H=kymo/iree.h -DIREE_TRACING_MODE=1 to 4
#
# (CMAKE_PROJECT_INCLUDE would be read by the projects inside IREE too.) Beside these
#   KYMO_IREE_ARCH         the arch port: posix (default), riscv and so on, or a folder
#   KYMO_IREE_TRANSPORTS   none: a program under Linux serves Tracy's viewers itself, as with Tracy's own client, and any
#                          other calls kymo_init() and kymo_drain(). iree_posix: a thread sends to hostlink
#                          (posix_background.h)
#   KYMO_IREE_DEFINITIONS  knobs of kymo/config.h, which go before the ones below
set(KYMO_IREE_ARCH posix CACHE STRING "Arch port of kymo under IREE")
set(KYMO_IREE_TRANSPORTS "" CACHE STRING "Transports of kymo under IREE")
set(KYMO_IREE_DEFINITIONS "" CACHE STRING "Knobs of kymo under IREE, as NAME=value")

foreach(kymo_part cmake/warnings.cmake runtime/CMakeLists.txt ports/CMakeLists.txt hostlink/pipeline.cmake
        hostlink/client/CMakeLists.txt)
    include(${CMAKE_CURRENT_LIST_DIR}/../${kymo_part})
endforeach()

if(NOT DEFINED IREE_TRACING_MODE)
    set(IREE_TRACING_MODE 2) # IREE's own default, which it sets later
endif()
set(kymo_iree_knobs ${KYMO_IREE_DEFINITIONS})
set(kymo_iree_transports ${KYMO_IREE_TRANSPORTS})
set(kymo_iree_client OFF)
if(KYMO_IREE_ARCH STREQUAL "posix" AND NOT kymo_iree_transports)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        set(kymo_iree_client ON)
    else()
        set(kymo_iree_transports iree_posix)
    endif()
endif()

# KYMO_TRACING_MODE is not 3 or 4: which of IREE's events have stacks says its own mode.
kymo_default_knobs(kymo_iree_knobs KYMO_TRACY=1 KYMO_PAYLOAD_WORDS=60)
if(IREE_TRACING_MODE GREATER 2)
    kymo_default_knobs(kymo_iree_knobs KYMO_TRACING_MODE=2 KYMO_CALLSTACKS=16)
elseif(IREE_TRACING_MODE EQUAL 2)
    kymo_default_knobs(kymo_iree_knobs KYMO_TRACING_MODE=2 KYMO_CALLSTACKS=0)
else()
    kymo_default_knobs(kymo_iree_knobs KYMO_TRACING_MODE=1 KYMO_CALLSTACKS=0)
endif()
if(KYMO_IREE_ARCH STREQUAL "posix")
    kymo_default_knobs(kymo_iree_knobs KYMO_LANES=64 KYMO_RING_BYTES=4194304 KYMO_IREE_SOURCES=1048576 KYMO_LARGE=16)
    # Nothing is lost while something reads, as with Tracy's own client.
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        kymo_default_knobs(kymo_iree_knobs KYMO_FULL_WAIT_MS=1000)
    endif()
    if(NOT kymo_iree_client)
        kymo_default_knobs(kymo_iree_knobs KYMO_DYNAMIC_SITES=1024 KYMO_DRAIN_INSTRUCTIONS=20000)
    endif()
    if("iree_posix" IN_LIST kymo_iree_transports)
        kymo_default_knobs(kymo_iree_knobs KYMO_IREE_STARTS=1)
    endif()
else()
    kymo_default_knobs(kymo_iree_knobs KYMO_DYNAMIC_SITES=128)
endif()

if(kymo_iree_client)
    kymo_add_client(kymo_iree ${kymo_iree_knobs})
    if(NOT TARGET Tracy::TracyClient)
        add_library(Tracy::TracyClient ALIAS kymo_iree) # a program's own markup goes to the same viewers
    endif()
else()
    kymo_add_runtime(kymo_iree ARCH ${KYMO_IREE_ARCH} TRANSPORTS ${kymo_iree_transports} DEFINITIONS ${kymo_iree_knobs})
    if(KYMO_IREE_ARCH STREQUAL "posix")
        target_link_options(kymo_iree INTERFACE -pthread)
    endif()
endif()

# IREE exports what its libraries link with.
install(TARGETS kymo_iree EXPORT IREEExported-Runtime COMPONENT IREEBundledLibraries ARCHIVE DESTINATION lib)
set_property(GLOBAL APPEND PROPERTY IREE_EXPORT_TARGETS_Runtime kymo_iree)
