/* SPDX-License-Identifier: MIT */
/* Flows and asynchronous zones: a file of its own, so that firmware without them has none of its code. */
#include "../ring/ring.h"
#include "payload.h"

#if KYMO_ENABLE

void kymo_flow(enum kymo_event_kind kind, const struct kymo_site *site, uint64_t id) {
    const uint32_t reference = kymo_site_reference(site);
    if (!KYMO_RING_QUICK) {
        const uint32_t words[2] = {(uint32_t)id, (uint32_t)(id >> 32)};
        (void)kymo_ring_long(kind, reference, words, kymo_trimmed(words, 2u));
    } else if (id >> 32 == 0u) {
        kymo_ring_one(reference, (uint32_t)id, KYMO_ONE_WORD((uint32_t)kind));
    } else {
        kymo_ring_two(reference, id, KYMO_TWO_WORDS((uint32_t)kind));
    }
}

#endif
