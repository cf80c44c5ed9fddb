/* SPDX-License-Identifier: MIT */
/* Zones with the events that the firmware chose (kymo/zone_counters.h). In no image that does not use them. */
#include "kymo/counters.h"

#if KYMO_ENABLE && KYMO_ARCH_EVENTS

#include "counting.h"
#include "payload.h"

struct choice {
    const struct kymo_site *event;
    uint32_t number; /* as that of the site, which is not in memory with KYMO_NAMES 0 */
};
static struct choice choices[KYMO_COUNTER_EVENTS];
static uint32_t chosen;

/* For each lane's core: how many choices it was asked for; from bit 8 on, the choices that it counts. */
#define ASKED 0xffu
#define COUNTS 8
static uint16_t answers[KYMO_LANES];

static void not_counted(const struct kymo_site *event) {
    KYMO_MESSAGE_LEVEL(KYMO_LEVEL_WARNING,
                       "not counted: %s. This core does not, or has too few counters", event);
}

/* An interrupt that comes meanwhile asks too, with the same result. */
static __attribute__((noinline)) uint32_t ask(uint16_t *answer) {
    const uint32_t count = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
    uint32_t there = (uint32_t)*answer >> COUNTS;
    for (uint32_t i = *answer & ASKED; i < count; i++) {
        if (kymo_arch_event_start(i, choices[i].number)) {
            there |= 1u << i;
        } else {
            not_counted(choices[i].event);
        }
    }
    *answer = (uint16_t)(there << COUNTS | count);
    return there;
}

static uint32_t counted_here(const struct kymo_lane *lane) {
    uint16_t *const answer = &answers[kymo_lane_index(lane)];
    return KYMO_UNLIKELY((*answer & ASKED) != __atomic_load_n(&chosen, __ATOMIC_RELAXED))
               ? ask(answer)
               : (uint32_t)*answer >> COUNTS;
}

void kymo_count_event(const struct kymo_site *event, uint32_t number) {
    const uint32_t place = chosen;
    for (uint32_t i = 0u; i < place; i++) {
        if (choices[i].number == number) {
            return;
        }
    }
    if (place == KYMO_COUNTER_EVENTS) {
        not_counted(event);
        return;
    }
    choices[place] = (struct choice){event, number};
    __atomic_store_n(&chosen, place + 1u, __ATOMIC_RELEASE);
}

/* The core's counters are enabled before the events are started, and read last. */
void kymo_zone_begin_events(struct kymo_event_zone *zone, const struct kymo_site *site) {
    if (zone == NULL || (zone->counted.zone = kymo_zone_begin(site)) == NULL) {
        return;
    }
    const struct kymo_lane *lane = kymo_lane_of_zone(zone->counted.zone);
    const uint32_t counting = kymo_counting_on(lane);
    zone->there = counted_here(lane);
    for (uint32_t i = 0u; i < KYMO_COUNTER_EVENTS; i++) {
        zone->counts[i] = (zone->there >> i & 1u) != 0u ? kymo_arch_event_count(i) : 0u;
    }
    zone->counted.instructions = kymo_counting_instructions(counting);
    zone->counted.cycles = kymo_counting_cycles(counting);
}

/* All are read before any is recorded. */
void kymo_zone_end_events(const struct kymo_event_zone *zone) {
    const kymo_zone open = zone != NULL ? zone->counted.zone : NULL;
    if (open == NULL) {
        return;
    }
    uint32_t counts[KYMO_COUNTER_EVENTS];
    const struct kymo_lane *lane = kymo_lane_of_zone(open);
    const uint32_t there = lane != NULL && kymo_lane_is_here(lane) ? zone->there : 0u;
    for (uint32_t i = 0u; i < KYMO_COUNTER_EVENTS; i++) {
        counts[i] = (there >> i & 1u) != 0u ? kymo_arch_event_count(i) - zone->counts[i] : 0u;
    }
    kymo_counts_record(&zone->counted);
    for (uint32_t i = 0u; i < KYMO_COUNTER_EVENTS; i++) {
        if ((there >> i & 1u) != 0u) {
            (void)kymo_ring_long(KYMO_KIND_ZONE_COUNT, kymo_site_reference(choices[i].event),
                                 &counts[i], counts[i] != 0u ? 1u : 0u);
        }
    }
    kymo_zone_end(open);
}

#endif
