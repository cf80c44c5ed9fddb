/* SPDX-License-Identifier: MIT */
/* An interrupt at every instruction of a call, where both are wrong, or both change the same:
 * neither undoes the other's work. */
#include <string.h>

#include "cases.h"
#include "kept.h"
#include "kymo_arch.h"
#include "preempt.h"
#include "record/dynamic.h"
#include "record/large.h"
#include "ring/lane.h"
#include "send/link.h"
#include "trace.h"

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(frame, KYMO_SITE_FRAME, "frame", 0u, 0u, NULL);

static struct trace trace;
static uint32_t failures;
static kymo_zone ended, open;

void kymo_check_failed(enum kymo_usage what, const struct kymo_site *site) {
    (void)what, (void)site;
    failures++;
}

/* ---- the bytes are taken apart later: the decoder is not to be stepped through ---- */

static void drain(void) { (void)kymo_drain(0u); }

static void drain_to_the_end(void) {
    while (kymo_pending()) {
        drain();
    }
    (void)trace.transport.write(&trace, kept.bytes, kept.length);
    kept.length = 0u;
}

static void power_up(void) {
    fake_reset();
    trace_power_up();
    trace_init(&trace);
    kept.length = 0u;
    failures = 0u;
    kymo_init(&kept_transport, "step");
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
    memset(preempts, 0, sizeof preempts);
    preempts[1].call = preempts[2].call = PREEMPT_NEVER;
    preempt_around(true);
    scene->call();
    preempt_around(false);
}

static void at_every_instruction(const struct scene *scene) {
    preempt_find(true);
    run(scene);
    preempt_find(false);
    const uint32_t places = preempt_place_count();
    assert_in_range(places, 10u, PREEMPT_PLACES - 1u);
    for (uint32_t i = 0u; i < places; i++) {
        (void)preempt_choose(i);
        run(scene);
        assert_true(preempts[0].preempted);
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

CASE(usage_errors_of_two_contexts) {
    static const struct scene scene = {power_up, name_a_wrong_context, begin_without_a_site,
                                       both_are_known};
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

CASE(a_second_end_while_the_place_is_filled) {
    static const struct scene scene = {end_one, begin_another, end_again,
                                       it_was_found_and_the_other_is_open};
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

CASE(two_ends_at_a_time) {
    static const struct scene scene = {begin_one, end_it, end_again, one_was_found};
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

CASE(the_end_is_asked_for_while_it_is_sent) {
    static const struct scene scene = {drain_some, drain, finish_again, the_end_is_behind_all};
    uint32_t calls = 0u;
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

/* ---- sites that are made at run time: there is room for two ---- */

static const struct kymo_site *made[4]; /* by main code, and by the interrupt */

static const struct kymo_site *site_named(const char *name) {
    const struct kymo_site_text text = {
        .name = name, .name_bytes = 3u, .function = "f", .function_bytes = 1u};
    return kymo_site_dynamic(&text);
}

static void make_one(void) { made[0] = site_named("one"); }
static void make_one_too(void) { made[1] = site_named("one"); }

static void is_named(const struct kymo_site *site, const char *name) {
    assert_true(kymo_dynamic_index((uint32_t)(uintptr_t)site) < KYMO_DYNAMIC_SITES);
    assert_memory_equal(site->name, name, 3u);
}

/* The second caller may have made one too; from then on one of them is found. */
static void one_is_found(void) {
    is_named(made[0], "one");
    is_named(made[1], "one");
    const struct kymo_site *found = site_named("one");
    assert_true(found == made[0] || found == made[1]);
    assert_int_equal(kymo_dynamic.complete, 1u);
    assert_int_equal(kymo_dynamic.refused, 0u);
}

CASE(equal_sites_at_a_time) {
    static const struct scene scene = {power_up, make_one, make_one_too, one_is_found};
    at_every_instruction(&scene);
}

static void make_two_and_more(void) {
    made[1] = site_named("two");
    made[2] = site_named("six");
    made[3] = site_named("ten");
}

/* Each has its own place or the substitute's, and is found again where it has one. */
static void each_has_its_name(void) {
    static const char *const names[4] = {"one", "two", "six", "ten"};
    uint32_t places = 0u;
    for (uint32_t i = 0u; i < 4u; i++) {
        if (made[i] != kymo_dynamic_substitute(KYMO_SITE_ZONE)) {
            is_named(made[i], names[i]);
            assert_ptr_equal(site_named(names[i]), made[i]);
            places++;
        }
    }
    assert_int_equal(places, 2u);
    assert_int_equal(kymo_dynamic.complete, 2u);
    assert_int_equal(kymo_dynamic.refused, 2u);
}

CASE(other_sites_at_a_time) {
    static const struct scene scene = {power_up, make_one, make_two_and_more, each_has_its_name};
    at_every_instruction(&scene);
}

/* ---- large things: there is room for two ---- */

static struct kymo_large larges[3];
static bool sent[3];

static void no_larges(void) {
    power_up();
    for (uint32_t i = 0u; i < 3u; i++) {
        larges[i] = (struct kymo_large){.bytes = "abcdef", .length = 6u};
    }
}

static void send_first(void) { sent[0] = kymo_large_send(&larges[0]); }

static void send_others(void) {
    sent[1] = kymo_large_send(&larges[1]);
    drain();
    sent[2] = kymo_large_send(&larges[2]);
}

static void all_that_were_taken_leave(void) {
    uint32_t taken = 0u;
    kymo_finish();
    drain_to_the_end();
    for (uint32_t i = 0u; i < 3u; i++) {
        taken += sent[i] ? 1u : 0u;
        assert_int_equal(kymo_large_state(&larges[i]), sent[i] ? KYMO_LARGE_SENT : KYMO_LARGE_IDLE);
    }
    assert_true(taken >= 2u);
    assert_int_equal(kymo_larges.refused, 3u - taken);
    assert_int_equal(kymo_larges.ids, taken);
    assert_int_equal(trace.packets[KYMO_PACKET_LARGE], taken);
    assert_int_equal(trace_events(&trace) + trace.lane[0].status[1],
                     taken); /* or counted as lost */
}

CASE(larges_at_a_time) {
    static const struct scene scene = {no_larges, send_first, send_others,
                                       all_that_were_taken_leave};
    at_every_instruction(&scene);
}

/* hostlink takes a packet whose id is not above the last one that ended for a copy. */
#define LARGE_ID_AT 3u /* after head and flags */
#define CALLS_MAX 1000u
static uint32_t last_id;
static bool is_endless;

static void ids_rise(void *user, const uint8_t *bytes, size_t length) {
    (void)user;
    if ((bytes[0] & KYMO_WIRE_TYPE_MASK) == KYMO_PACKET_LARGE) {
        assert_true(length > LARGE_ID_AT);
        assert_true(bytes[LARGE_ID_AT] > last_id);
        last_id = bytes[LARGE_ID_AT];
    }
}

/* Like an interrupt that sends all there is, and returns. */
static void drain_what_is_pending(void) {
    uint32_t calls = 0u;
    while (kymo_pending() && calls < CALLS_MAX) {
        drain();
        calls++;
    }
    is_endless = is_endless || calls == CALLS_MAX;
}

static void nothing_is_pending(void) {
    no_larges();
    last_id = 0u;
    is_endless = false;
    trace.packet = ids_rise;
    drain_what_is_pending();
}

static void send_second_and_drain(void) {
    sent[1] = kymo_large_send(&larges[1]);
    drain_what_is_pending();
}

static void send_first_and_second(void) {
    send_first();
    sent[1] = kymo_large_send(&larges[1]);
}

static void both_left(void) {
    kymo_finish();
    drain_to_the_end();
    assert_true(sent[0] && sent[1]);
    assert_false(is_endless);
    assert_int_equal(last_id, 2u);
}

CASE(larges_leave_in_the_order_of_their_ids) {
    static const struct scene sends = {nothing_is_pending, send_first, send_second_and_drain,
                                       both_left};
    static const struct scene drains = {nothing_is_pending, drain, send_first_and_second,
                                        both_left};
    at_every_instruction(&sends);
    at_every_instruction(&drains);
}

CASES_BETWEEN(preempt_set_up, NULL);
