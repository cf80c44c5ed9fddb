/* SPDX-License-Identifier: MIT */
/* The kernel's 32-bit cycle counter made wide. */
#include "kymo/arch.h"

#ifdef KYMO_ZEPHYR_WIDEN

uint64_t kymo_arch_clock64(void) {
    /* The wraps that were seen, and the last reading. One CPU has them: see kymo_arch.h. */
    static uint32_t high, low;
    const kymo_arch_state state = kymo_arch_mask();
    const uint32_t now = kymo_arch_clock();
    high += now < low ? 1u : 0u;
    low = now;
    const uint64_t wide = ((uint64_t)high << 32) | now;
    kymo_arch_unmask(state);
    return wide;
}

#endif
