# The tracing provider of IREE's runtime, as the target kymo_iree, for IREE's own build:
#
#   -DCMAKE_PROJECT_IREE_INCLUDE=<kymo>/cmake/iree.cmake -DIREE_ENABLE_RUNTIME_TRACING=ON
#   -DIREE_TRACING_PROVIDER=kymo_iree -DIREE_TRACING_PROVIDER_H=kymo/iree.h -DIREE_TRACING_MODE=1 to 4
#
# (CMAKE_PROJECT_INCLUDE would be read by the projects inside IREE too.) Beside these
#   KYMO_IREE_ARCH         the arch port: posix (default), riscv and so on, or a folder
#   KYMO_IREE_TRANSPORTS   default: for posix iree_posix, a thread that drains (posix_background.h); else none, and the
#                          program calls kymo_init() and kymo_drain()
#   KYMO_IREE_DEFINITIONS  knobs of kymo/config.h, which go before the ones below
set(KYMO_IREE_ARCH posix CACHE STRING "Arch port of kymo under IREE")
set(KYMO_IREE_TRANSPORTS "" CACHE STRING "Transports of kymo under IREE")
set(KYMO_IREE_DEFINITIONS "" CACHE STRING "Knobs of kymo under IREE, as NAME=value")

foreach(kymo_part cmake/warnings.cmake runtime/CMakeLists.txt ports/CMakeLists.txt)
    include(${CMAKE_CURRENT_LIST_DIR}/../${kymo_part})
endforeach()

# kymo_iree_knob(NAME=value): what holds where the user has set none of that name.
set(kymo_iree_knobs ${KYMO_IREE_DEFINITIONS})
function(kymo_iree_knob knob)
    string(REGEX REPLACE "=.*" "=" name ${knob})
    if(NOT ";${kymo_iree_knobs}" MATCHES ";${name}")
        set(kymo_iree_knobs ${kymo_iree_knobs} ${knob} PARENT_SCOPE)
    endif()
endfunction()

if(NOT DEFINED IREE_TRACING_MODE)
    set(IREE_TRACING_MODE 2) # IREE's own default, which it sets later
endif()
kymo_iree_knob(KYMO_TRACY=1)
kymo_iree_knob(KYMO_PAYLOAD_WORDS=60)
if(IREE_TRACING_MODE GREATER 2)
    kymo_iree_knob(KYMO_CALLSTACKS=16)
endif()
if(IREE_TRACING_MODE LESS 2)
    kymo_iree_knob(KYMO_TRACING_MODE=1)
else()
    # Not 3 or 4: which of IREE's events have stacks says its own mode.
    kymo_iree_knob(KYMO_TRACING_MODE=2)
endif()
set(kymo_iree_transports ${KYMO_IREE_TRANSPORTS})
if(KYMO_IREE_ARCH STREQUAL "posix")
    kymo_iree_knob(KYMO_LANES=64)
    kymo_iree_knob(KYMO_RING_BYTES=4194304)
    kymo_iree_knob(KYMO_DYNAMIC_SITES=1024)
    kymo_iree_knob(KYMO_TRACY_FIBERS=256)
    kymo_iree_knob(KYMO_IREE_SOURCES=1048576)
    kymo_iree_knob(KYMO_LARGE=16)
    kymo_iree_knob(KYMO_DRAIN_INSTRUCTIONS=20000)
    if(NOT kymo_iree_transports)
        set(kymo_iree_transports iree_posix)
    endif()
    if("iree_posix" IN_LIST kymo_iree_transports)
        kymo_iree_knob(KYMO_IREE_STARTS=1)
    endif()
else()
    kymo_iree_knob(KYMO_DYNAMIC_SITES=128)
endif()

kymo_add_runtime(kymo_iree ARCH ${KYMO_IREE_ARCH} TRANSPORTS ${kymo_iree_transports} DEFINITIONS ${kymo_iree_knobs})
if(KYMO_IREE_ARCH STREQUAL "posix")
    target_link_options(kymo_iree INTERFACE -pthread)
endif()

# IREE exports what its libraries link with.
install(TARGETS kymo_iree EXPORT IREEExported-Runtime COMPONENT IREEBundledLibraries ARCHIVE DESTINATION lib)
set_property(GLOBAL APPEND PROPERTY IREE_EXPORT_TARGETS_Runtime kymo_iree)
