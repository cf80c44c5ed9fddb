/* SPDX-License-Identifier: MIT */
/* Threads that contend for one mutex on the POSIX port: each obtain has its release, and no thread holds
 * the lock while another does. No time is judged: how far the clocks of two cores differ is the machine's. */
#include "trace/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "kymo/kymo.h"
#include "large_ring.h"
#include "legal_events.h"

#define THREADS 3u
#define ROUNDS 200u

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t waits, obtains, releases, tries;
static struct legal legal;

static uint8_t sent[1u << 20];
static size_t sent_bytes;

static size_t keep(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    assert_true(length <= sizeof sent - sent_bytes);
    memcpy(sent + sent_bytes, bytes, length);
    sent_bytes += length;
    return length;
}

static const struct kymo_transport transport = {.write = keep};

static void *work(void *tried) {
    uint32_t *taken = tried;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        if (i % 4u == 0u && pthread_mutex_trylock(&mutex) == 0) {
            ++*taken;
        } else {
            KYMO_LOCK_WAIT(&mutex);
            (void)pthread_mutex_lock(&mutex);
        }
        KYMO_LOCK_OBTAIN(&mutex);
        while (kymo_drain(0u)) {} /* so that no lane comes late, however slow the machine is */
        KYMO_LOCK_RELEASE(&mutex);
        (void)pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static int on_event(void *context, const struct event *event) {
    (void)context;
    assert_null(legal_event(&legal, event));
    if (event_holds(event->kind)) {
        const enum event_hold what = event_hold(event->kind);
        waits += what == EVENT_WAITS;
        obtains += what == EVENT_TAKES;
        releases += what == EVENT_GIVES;
        tries += what == EVENT_TAKES && !event->u.hold.waited;
    }
    return 0;
}

static void each_obtain_has_its_release(void **state) {
    const struct pipeline_callbacks callbacks = {.event = on_event};
    struct pipeline *pipeline = pipeline_new(&callbacks, NULL);
    struct pipeline_totals totals;
    pthread_t threads[THREADS];
    uint32_t taken[THREADS] = {0};
    (void)state;
    assert_non_null(pipeline);
    kymo_init(&transport, "threads");
    KYMO_LOCK(&mutex, "mutex");
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &taken[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    assert_int_equal(pipeline_feed(pipeline, sent, sent_bytes), 0);
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_null(legal_end(&legal));
    assert_int_equal(totals.lost, 0);
    assert_int_equal(totals.repairs, 0);
    assert_int_equal(obtains, THREADS * ROUNDS);
    assert_int_equal(releases, THREADS * ROUNDS);
    assert_int_equal(tries, taken[0] + taken[1] + taken[2]);
    assert_int_equal(waits, THREADS * ROUNDS - tries);
    legal_free(&legal);
    pipeline_free(pipeline);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_obtain_has_its_release),
        cmocka_unit_test(a_large_ring_has_memory_only_where_events_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
