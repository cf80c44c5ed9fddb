/* Zones with the core's counters (kymo/zone_counters.h). In no image that does not use them. */
#include "kymo/counters.h"

#include "ring.h"

#if KYMO_ENABLE && KYMO_ARCH_COUNTERS != 0u

#include "kymo/zone_counters.h"

/* Which of a lane's core count; 0: not looked yet. */
#define LOOKED 0x80u
static uint8_t counting[KYMO_LANES];

/* An interrupt that comes meanwhile looks too, and finds the same. */
static uint32_t look(const struct kymo_lane *lane) {
    uint8_t *const known = &counting[kymo_lane_index(lane)];
    if (KYMO_UNLIKELY(*known == 0u)) {
        *known = (uint8_t)(kymo_counters_start() | LOOKED);
    }
    return *known;
}

/* The counters last, so that they count little of this. */
struct kymo_counted_zone kymo_zone_begin_counted(const struct kymo_site *site) {
    struct kymo_counted_zone counted = {.zone = kymo_zone_begin(site)};
    if (counted.zone != NULL) {
        const uint32_t there = look(counted.zone);
        counted.instructions =
            (there & KYMO_COUNTER_INSTRUCTIONS) != 0u ? kymo_arch_instructions() : 0u;
        counted.cycles = (there & KYMO_COUNTER_CYCLES) != 0u ? kymo_arch_cycles() : 0u;
    }
    return counted;
}

void kymo_zone_end_counted(const struct kymo_counted_zone *counted) {
    const kymo_zone zone = counted->zone;
    if (zone == NULL) {
        return;
    }
    const uint32_t there = look(zone);
    const uint32_t words[2] = {
        (there & KYMO_COUNTER_CYCLES) != 0u ? kymo_arch_cycles() - counted->cycles : 0u,
        (there & KYMO_COUNTER_INSTRUCTIONS) != 0u ? kymo_arch_instructions() - counted->instructions
                                                  : 0u};
    if (there != LOOKED && kymo_lane_is_here(zone)) {
        (void)kymo_ring_long(KYMO_KIND_ZONE_COUNTERS, 0u, words, words[1] != 0u ? 2u : 1u);
    }
    kymo_zone_end(zone);
}

#endif
