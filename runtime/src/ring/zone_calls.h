/* SPDX-License-Identifier: MIT */
/* The firmware's calls for zones and interrupts. Each ring includes this at its end, so that the compiler sees a call
 * and the ring's part of it at once. */
#ifndef KYMO_ZONE_CALLS_H
#define KYMO_ZONE_CALLS_H

#include "callstack.h"
#include "check.h"

#if KYMO_ZONES_HAVE_STACKS
struct kymo_lane *kymo_ring_begin(const struct kymo_site *site) {
    return begin_zone(site);
}
#endif

KYMO_STACK_ENTRY kymo_zone kymo_zone_begin(const struct kymo_site *site) {
    if (KYMO_ZONES_HAVE_STACKS) {
        return kymo_callstack_begin(site, KYMO_DEPTH_OF_ALL);
    }
    if (KYMO_CHECK && site == NULL) {
        kymo_check_report(KYMO_USAGE_NO_SITE, NULL);
        return NULL;
    }
    return kymo_check_begun(begin_zone(site), site);
}

void kymo_zone_end(kymo_zone zone) { end_zone(kymo_check_ended(zone)); }

void kymo_interrupt_leave(kymo_context before) {
    kymo_check_leaves(before);
    leave_interrupt(before);
}

#endif
