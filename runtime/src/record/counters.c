/* SPDX-License-Identifier: MIT */
/* Zones with the core's counters (kymo/zone_counters.h). In no image that does not use them. */
#include "kymo/counters.h"

#if KYMO_ENABLE && KYMO_ARCH_COUNTERS != 0u

#include "counting.h"

uint8_t kymo_counting[KYMO_LANES];

struct kymo_counted_zone kymo_zone_begin_counted(const struct kymo_site *site) {
    struct kymo_counted_zone counted = {.zone = kymo_zone_begin(site)};
    if (counted.zone != NULL) {
        const uint32_t there = kymo_counting_on(kymo_lane_of_zone(counted.zone));
        counted.instructions = kymo_counting_instructions(there);
        counted.cycles = kymo_counting_cycles(there);
    }
    return counted;
}

void kymo_zone_end_counted(const struct kymo_counted_zone *counted) {
    const kymo_zone zone = counted != NULL ? counted->zone : NULL;
    if (zone == NULL) {
        return;
    }
    kymo_counts_record(counted);
    kymo_zone_end(zone);
}

#endif
