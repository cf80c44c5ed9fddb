/* SPDX-License-Identifier: MIT */
/* What the readers of rings that keep the oldest have in common. Included by ring.h alone. */
#ifndef KYMO_READ_OLDEST_H
#define KYMO_READ_OLDEST_H

#include "lane.h"

/* Nothing is copied, and nothing outlives a reset. */
static inline bool kymo_ring_is_copied(const struct kymo_lane *lane) { return (void)lane, true; }
static inline void kymo_ring_sent(const struct kymo_lane *lane) { (void)lane; }
static inline bool kymo_ring_was_sent(const struct kymo_lane *lane) { return (void)lane, false; }
static inline bool kymo_ring_is_current(void) { return true; }
static inline uint64_t kymo_ring_now(void) { return kymo_arch_clock64(); }

#endif
