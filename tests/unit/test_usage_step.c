/* An interrupt at every instruction of a call, where both are wrong, or both change the same: neither undoes what the
 * other did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kymo_arch.h"
#include "lane.h"
#include "link.h"
#include "strike.h"
#include "trace.h"

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);

static struct trace trace;
static uint32_t failures;
static kymo_zone ended, open;

void on_failure(enum kymo_usage what, const struct kymo_site *site) {
    (void)what, (void)site;
    failures++;
}

/* ---- the bytes are taken apart later: the decoder is not to be stepped through ---- */

static struct {
    uint8_t bytes[65536];
    size_t length;
} held;

static size_t hold(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    if (length > sizeof held.bytes - held.length) {
        fake_broken("more bytes than can be held");
    }
    memcpy(held.bytes + held.length, bytes, length);
    held.length += length;
    return length;
}

static void drain(void) { (void)kymo_drain(0u); }

static void drain_to_the_end(void) {
    while (kymo_pending()) {
        drain();
    }
    (void)trace.transport.write(&trace, held.bytes, held.length);
    held.length = 0u;
}

static void power_up(void) {
    static const struct kymo_transport transport = {.write = hold};
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    held.length = 0u;
    failures = 0u;
    kymo_init(&transport, "step");
}

/* ---- each place of a call ---- */

struct scene {
    void (*prepare)(void);
    void (*call)(void);
    void (*interrupt)(void);
    void (*check)(void);
};

/* One copy of it, whose instructions are places, too. */
static __attribute__((noinline)) void run(const struct scene *scene) {
    scene->prepare();
    fake.interrupt = scene->interrupt;
    memset(strikes, 0, sizeof strikes);
    strikes[1].call = strikes[2].call = STRIKE_NEVER;
    strike_around(true);
    scene->call();
    strike_around(false);
}

static void at_every_instruction(const struct scene *scene) {
    strike_find(true);
    run(scene);
    strike_find(false);
    const uint32_t places = strike_place_count();
    assert_in_range(places, 10u, STRIKE_PLACES - 1u);
    for (uint32_t i = 0u; i < places; i++) {
        (void)strike_choose(i);
        run(scene);
        assert_true(strikes[0].struck);
        scene->check();
    }
}

/* ---- two usage errors ---- */

static void name_a_wrong_context(void) { (void)kymo_context_switch(0x1004u); }

static void begin_without_a_site(void) { (void)kymo_zone_begin(NULL); }

static void both_are_known(void) {
    assert_true(kymo_usage_seen[KYMO_USAGE_CONTEXT]);
    assert_true(kymo_usage_seen[KYMO_USAGE_NO_SITE]);
    assert_int_equal(failures, 2u);
}

static void usage_errors_of_two_contexts(void **state) {
    static const struct scene scene = {power_up, name_a_wrong_context, begin_without_a_site,
                                       both_are_known};
    (void)state;
    at_every_instruction(&scene);
}

/* ---- the end of a zone whose place another one is about to take ---- */

static void end_one(void) {
    power_up();
    ended = kymo_zone_begin(&zone);
    kymo_zone_end(ended);
}

static void begin_another(void) { open = kymo_zone_begin(&zone); }

static void end_again(void) { kymo_zone_end(ended); }

static void it_was_found_and_the_other_is_open(void) {
    assert_int_equal(failures, 1u);
    kymo_zone_end(open);
    assert_int_equal(failures, 1u);
    kymo_zone_end(open);
    assert_int_equal(failures, 2u);
}

static void a_second_end_while_the_place_is_filled(void **state) {
    static const struct scene scene = {end_one, begin_another, end_again,
                                       it_was_found_and_the_other_is_open};
    (void)state;
    at_every_instruction(&scene);
}

/* Two ends of one zone at a time: one of them is its end. */
static void begin_one(void) {
    power_up();
    open = ended = kymo_zone_begin(&zone);
}

static void one_was_found(void) {
    assert_in_range(failures, 1u, 2u); /* one may have ended it in another context, too */
    kymo_finish();
    drain_to_the_end();
    assert_int_equal(trace_events(&trace), 2u + failures);
}

static void end_it(void) { kymo_zone_end(open); }

static void two_ends_at_a_time(void **state) {
    static const struct scene scene = {begin_one, end_it, end_again, one_was_found};
    (void)state;
    at_every_instruction(&scene);
}

/* ---- the end of the trace ---- */

static uint32_t drained;

static void drain_some(void) {
    power_up();
    kymo_frame(&frame);
    kymo_finish();
    for (uint32_t i = 0u; i < drained; i++) {
        drain();
    }
}

static void finish_again(void) {
    kymo_frame(&frame);
    kymo_finish();
}

static void the_end_is_behind_all(void) {
    drain_to_the_end();
    assert_int_equal(trace.lane[0].events, 2u);
    assert_true((trace.flags & KYMO_STATUS_FINAL) != 0u);
    assert_int_equal(trace.lane[0].status[0], 2u);
}

static void the_end_is_asked_for_while_it_is_sent(void **state) {
    static const struct scene scene = {drain_some, drain, finish_again, the_end_is_behind_all};
    uint32_t calls = 0u;
    (void)state;
    drained = 1u;
    for (drain_some(); kymo_pending(); drain_some()) {
        if (kymo_link.finals_left < 3u) { /* the first of them is out */
            at_every_instruction(&scene);
            calls++;
        }
        drained++;
    }
    assert_true(calls != 0u);
}

static int set_up(void **state) {
    (void)state;
    return strike_set_up();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_errors_of_two_contexts),
        cmocka_unit_test(a_second_end_while_the_place_is_filled),
        cmocka_unit_test(two_ends_at_a_time),
        cmocka_unit_test(the_end_is_asked_for_while_it_is_sent),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
