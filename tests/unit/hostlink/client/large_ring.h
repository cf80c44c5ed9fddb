/* SPDX-License-Identifier: MIT */
/* A case of unit.lock_threads, whose rings are large enough to have pieces. */
#ifndef KYMO_LARGE_RING_H
#define KYMO_LARGE_RING_H

void a_large_ring_has_memory_only_where_events_wait(void **state);

#endif
