/* SPDX-License-Identifier: MIT */
/* How the rings that keep the newest are read: recall.c, which checks and copies each record. Included by ring.h
 * alone. */
#ifndef KYMO_READ_NEWEST_H
#define KYMO_READ_NEWEST_H

#include "lane.h"

uint32_t kymo_ring_peek(struct kymo_lane *lane, uint32_t *header);
uint32_t kymo_ring_word(const struct kymo_lane *lane, size_t index);
void kymo_ring_consume(struct kymo_lane *lane, uint32_t words);
bool kymo_ring_is_copied(const struct kymo_lane *lane);
static inline bool kymo_ring_is_empty(const struct kymo_lane *lane) {
    return kymo_ring_used_bytes(lane) == 0u;
}

void kymo_ring_sent(const struct kymo_lane *lane);
bool kymo_ring_was_sent(const struct kymo_lane *lane);

/* The runs of the board that the rings remember are read one after the other, each as a session. */

/* Called by kymo_init(): searches all lanes. */
void kymo_ring_start(void);
/* Id of the session that is read. */
uint32_t kymo_ring_session(void);
bool kymo_ring_is_current(void);
/* Goes on to the next run, once this one is read. */
void kymo_ring_next_run(void);
uint64_t kymo_ring_now(void);

#endif
