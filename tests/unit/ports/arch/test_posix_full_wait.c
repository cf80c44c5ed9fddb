/* SPDX-License-Identifier: MIT */
/* KYMO_FULL_WAIT_MS: threads whose ring is full wait for room. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"

#define THREADS 3u
/* A ring holds some hundred. */
#define ZONES 20000u

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);

static struct trace trace;
static atomic_uint done;

FIXTURE(set_up) {
    trace_power_up();
    trace_init(&trace);
    kymo_init(&trace.transport, "full");
    kymo_posix_hurries = false;
    return 0;
}

static void record(uint32_t zones) {
    for (uint32_t i = 0u; i < zones; i++) {
        kymo_zone_end(kymo_zone_begin(&zone));
    }
}

static void *record_all(void *unused) {
    (void)unused;
    errno = ENOTTY;
    record(ZONES);
    const bool kept = errno == ENOTTY;
    (void)atomic_fetch_add(&done, 1u);
    return kept ? &done : NULL;
}

static uint64_t events_of_all(void) {
    uint64_t events = 0u;
    for (uint32_t lane = 0u; lane < KYMO_LANES; lane++) {
        events += trace.lane[lane].events;
    }
    return events;
}

CASE(nothing_is_lost_while_something_reads, set_up) {
    pthread_t threads[THREADS];
    atomic_store(&done, 0u);
    for (uint32_t i = 0u; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, record_all, NULL), 0);
    }
    while (atomic_load(&done) != THREADS) {
        (void)kymo_drain(0u);
    }
    for (uint32_t i = 0u; i < THREADS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
    assert_int_equal(trace_finish(&trace), 0);
    assert_int_equal(events_of_all(), 2u * ZONES * THREADS);
}

/* It stops waiting, and goes on to lose events until its ring has been read. */
CASE(a_thread_ends_that_nothing_reads, set_up) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, record_all, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    const uint64_t lost = trace_finish(&trace);
    assert_in_range(lost, 1u, 2u * ZONES - 1u);
    assert_int_equal(events_of_all() + lost, 2u * ZONES);
}

/* The one that drains cannot wait for itself. */
CASE(a_thread_in_a_hurry_does_not_wait, set_up) {
    kymo_posix_hurries = true;
    record(ZONES);
    assert_false(kymo_arch_wait(&(uint32_t){0u}));
    assert_in_range(trace_finish(&trace), 1u, 2u * ZONES - 1u);
}
