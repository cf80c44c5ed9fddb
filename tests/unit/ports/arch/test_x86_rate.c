/* SPDX-License-Identifier: MIT */
/* The rate of the time stamp counter from what CPUID says, which no emulator here says: the port's own
 * source, with its functions in reach. */
#include "arch.c"
#include "cases.h"

static const struct leaf none = {0u, 0u, 0u, 0u};

CASE(crystal_times_ratio) {
    /* SDM, CPUID leaf 15h: ECX * EBX / EAX. */
    const struct leaf skylake = {2u, 216u, 24000000u, 0u};
    assert_int_equal(rate_of_leaves(skylake, none), 2592000000u);
    const struct leaf odd = {3u, 256u, 19200000u, 0u};
    assert_int_equal(rate_of_leaves(odd, none), 1638400000u);
}

CASE(above_four_gigahertz) {
    const struct leaf fast = {2u, 417u, 24000000u, 0u};
    assert_int_equal(rate_of_leaves(fast, none), 5004000000u);
    /* Numbers that no core has do not trap either. */
    const struct leaf absurd = {1u, UINT32_MAX, UINT32_MAX, 0u};
    assert_int_equal(rate_of_leaves(absurd, none), 0xfffffffe00000001u);
    const struct leaf large_rest = {UINT32_MAX, UINT32_MAX - 1u, UINT32_MAX, 0u};
    assert_int_equal(rate_of_leaves(large_rest, none), UINT32_MAX - 1u);
}

CASE(unknown_crystal_runs_at_the_base_frequency) {
    const struct leaf ratio_only = {2u, 216u, 0u, 0u};
    const struct leaf base = {0xabcd0a28u, 3400u, 100u, 0u}; /* the top half is reserved */
    assert_int_equal(rate_of_leaves(ratio_only, base), 2600000000u);
    assert_int_equal(rate_of_leaves(ratio_only, none), 0);
}

CASE(nothing_said_is_unknown) {
    const struct leaf base = {2600u, 3400u, 100u, 0u};
    assert_int_equal(rate_of_leaves(none, base), 0);
    const struct leaf no_denominator = {0u, 216u, 24000000u, 0u};
    assert_int_equal(rate_of_leaves(no_denominator, none), 0);
}
