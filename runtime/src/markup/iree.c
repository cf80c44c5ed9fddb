/* SPDX-License-Identifier: MIT */
/* IREE's tracing provider (kymo/iree.h): functions that its macros call in addition to kymo/tracy.h. Nothing of this is
 * linked where they are not used. */
#include "kymo/iree.h"

#include "../record/divide.h"
#include "../ring/claim.h"
#include "../ring/lane.h"

#if KYMO_ENABLE && KYMO_TRACY && KYMO_DYNAMIC_SITES

uint32_t kymo_iree_started;

#if KYMO_IREE_STARTS
void kymo_iree_start_once(void) {
    if (kymo_claim(&kymo_iree_started, 0u, 1u)) {
        kymo_iree_start();
    }
}
#endif

/* Seconds by themselves: the ticks times 10^9 would not fit. */
int64_t kymo_iree_time_ns(void) {
    const uint64_t hz = kymo_arch_clock_hz();
    const uint64_t ticks = kymo_arch_clock64();
    uint64_t rest;
    if (hz == 0u) {
        return 0;
    }
    const uint64_t seconds = kymo_divide(ticks, hz, &rest);
    return (int64_t)(seconds * 1000000000u + kymo_divide(rest * 1000000000u, hz, &rest));
}

#endif
