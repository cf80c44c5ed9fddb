# The tests of the runtime: each is built for every way to reserve and every width of the clock.
# What leaves the board is taken apart by hostlink's own decoder (trace.c).
add_library(test_witness STATIC witness.c)
target_include_directories(test_witness PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(test_witness PUBLIC hostlink_core)
kymo_warnings(test_witness)

set(KYMO_TEST_VARIANTS
    masked64:KYMO_FAKE_CLOCK_BITS=64,KYMO_FAKE_ATOMIC=0
    masked32:KYMO_FAKE_CLOCK_BITS=32,KYMO_FAKE_ATOMIC=0
    atomic64:KYMO_FAKE_CLOCK_BITS=64,KYMO_FAKE_ATOMIC=1
    atomic32:KYMO_FAKE_CLOCK_BITS=32,KYMO_FAKE_ATOMIC=1)

# kymo_runtime_unit(<name> [SOURCES <source> ...] [DEFINITIONS <KNOB=value> ...]): test_<name>.c as
# unit.<name>.<variant>.
function(kymo_runtime_unit name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEFINITIONS")
    foreach(variant IN LISTS KYMO_TEST_VARIANTS)
        string(REPLACE ":" ";" variant ${variant})
        list(GET variant 0 label)
        list(GET variant 1 knobs)
        string(REPLACE "," ";" knobs ${knobs})
        kymo_test_runtime(runtime_${name}_${label} ${knobs} ${arg_DEFINITIONS})
        kymo_unit_from(${name}.${label} test_${name}.c trace.c ${arg_SOURCES}
            LIBRARIES runtime_${name}_${label} test_witness)
    endforeach()
endfunction()

kymo_runtime_unit(ring SOURCES player.c
    DEFINITIONS KYMO_LANES=3 KYMO_RING_BYTES=256 KYMO_LATENCY_MS=0)
