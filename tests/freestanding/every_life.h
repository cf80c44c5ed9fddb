/* SPDX-License-Identifier: MIT */
/* Shared by every.c and every.cpp: a recorder's life from its start to its end. */
#ifndef TESTS_FREESTANDING_EVERY_LIFE_H
#define TESTS_FREESTANDING_EVERY_LIFE_H

#include "kymo/kymo.h"
#include "kymo/sample.h"

/* On one line. */
#define TWO_ZONES()                                                                                \
    KYMO_FUNCTION();                                                                               \
    KYMO_ZONE("marker first");                                                                     \
    KYMO_ZONE("marker second")

static inline __attribute__((always_inline)) void life_of(const struct kymo_transport *transport) {
    kymo_init(transport, "marker image");
    kymo_lane_name("marker core");
    kymo_context_name(8u, KYMO_CONTEXT_TASK, "marker task");
    kymo_stop();
    kymo_start();
    kymo_clock_keepalive();
#if !KYMO_ENABLE || (KYMO_LARGE && KYMO_CLOCK_CHANGES && KYMO_DYNAMIC_SITES)
    struct kymo_large *large = KYMO_NULL_;
    const struct kymo_site_text *place = KYMO_NULL_;
    (void)kymo_large_send(large);
    kymo_large_cancel(large);
    (void)kymo_large_state(large);
    kymo_clock_rate(1000u);
    (void)kymo_clock_slept(1u, 32768u);
    (void)kymo_site_dynamic(place);
#endif
#if !KYMO_ENABLE || KYMO_SAMPLE_HZ_MAX
    const struct kymo_interrupted *preempted = KYMO_NULL_;
    kymo_sample_rate(1000u);
    kymo_sample_restart();
    (void)kymo_sample(preempted);
#endif
    (void)kymo_print("marker print", 12u);
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

#endif
