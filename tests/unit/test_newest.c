/* The flight recorder: what is left of many events is the newest, in order, and the rest is counted; a reset
 * at any moment leaves it readable. A board's reset is played by clearing all variables but those in the
 * section that survives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "newest_board.h"

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

static void garbage_is_no_recording(void **state) {
    (void)state;
    attach();
    drain();
    assert_int_equal(sessions, 1);
    assert_int_equal(session[0].flags & KYMO_SESSION_PAST, 0);
    assert_int_equal(trace.frames[KYMO_FRAME_EVENTS], 0);
}

static void what_fits_arrives(void **state) {
    (void)state;
    emit_many(0u, 20u); /* also before kymo_init() */
    attach();
    emit_many(1u, 5u);
    drain();
    assert_session(0u, 0u, 20u, 0u);
    assert_session(0u, 1u, 5u, 0u);
}

/* However many there are, the newest arrive, and those before are counted. */
static void the_newest_are_kept(void **state) {
    for (uint32_t count = 1u; count < 400u; count += 3u) {
        (void)power_up(state);
        emit_many(0u, count);
        attach();
        drain();
        assert_int_equal(known(0u), count);
        /* All blocks but the one that was entered last are full; a record takes at most 48 bytes. */
        const uint32_t least =
            (KYMO_RING_BLOCKS - 1u) * (BLOCK_BYTES - KYMO_BLOCK_HEAD_BYTES - 56u) / 32u;
        assert_true(session[0].arrived[0] >= (count < least ? count : least));
        assert_int_equal(trace.lane[0].losses, session[0].lost[0] != 0u ? 1 : 0);
        assert_int_equal(trace.lane[0].status[0], 0); /* no status was due yet */
    }
}

/* Read while it is written, too slowly: each gap is told where it is. */
static void a_slow_reader_misses_the_oldest(void **state) {
    (void)state;
    attach();
    for (uint32_t turn = 0u; turn < 300u; turn++) {
        emit_many(0u, turn % 70u);
        fake.clock += 200000u;
        (void)kymo_drain(0u);
    }
    drain();
    assert_int_equal(known(0u), emitted[0]);
    assert_true(trace.lane[0].losses > 10u);
    assert_true(trace.lane[0].events > emitted[0] / 4u);
}

static void a_reset_leaves_what_was_recorded(void **state) {
    for (uint32_t count = 1u; count < 300u; count++) {
        (void)power_up(state);
        emit_many(0u, count);
        emit_many(1u, count / 2u);
        boot();
        emit_many(0u, 3u);
        attach();
        drain();
        assert_int_equal(sessions, 2);
        assert_int_equal(session[0].flags & KYMO_SESSION_PAST, KYMO_SESSION_PAST);
        assert_int_equal(session[1].flags & KYMO_SESSION_PAST, 0);
        for (uint32_t lane = 0u; lane < LANES; lane++) {
            const uint32_t all = lane == 0u ? count : count / 2u;
            assert_int_equal(session[0].arrived[lane] + session[0].lost[lane], all);
        }
        assert_session(1u, 0u, 3u, 0u);
        assert_session(1u, 1u, 0u, 0u);
    }
}

/* The runs before are overwritten while the first of them is read: all of their events are known, also those at the
 * end of a run of which nothing is left. */
static void overwritten_while_it_is_sent(void **state) {
    for (uint32_t frames = 0u; frames < 10u; frames++) {
        for (uint32_t count = 0u; count < 260u; count += 20u) {
            uint64_t all[LANES] = {0};
            (void)power_up(state);
            for (uint32_t run = 0u; run < 2u; run++) {
                emit_many(0u, 20u);
                emit_many(1u, 13u + run);
                boot();
            }
            attach();
            for (uint32_t i = 0u; i < frames; i++) {
                fake.clock += 200000u;
                (void)kymo_drain(0u);
            }
            emit_many(0u, count);
            emit_many(1u, count / 2u);
            drain();
            for (uint32_t i = 0u; i < sessions; i++) {
                for (uint32_t lane = 0u; lane < LANES; lane++) {
                    all[lane] += session[i].arrived[lane] + session[i].lost[lane];
                }
            }
            assert_int_equal(all[0], 40u + count);
            assert_int_equal(all[1], 27u + count / 2u);
            assert_true(sessions >= 2u);
            assert_session(sessions - 1u, 0u, trace.lane[0].events, count - trace.lane[0].events);
        }
    }
}

/* What was sent before the reset is not sent again; the host, which stayed, misses nothing. */
static void a_reset_while_sending(void **state) {
    for (uint32_t count = 1u; count < 120u; count += 2u) {
        (void)power_up(state);
        attach();
        emit_many(0u, count);
        for (uint32_t i = 0u; i < count / 10u; i++) {
            fake.clock += 200000u;
            (void)kymo_drain(0u);
        }
        const uint64_t before = known(0u);
        boot();
        attach();
        drain();
        assert_int_equal(session[0].arrived[0] + session[0].lost[0], count);
        assert_true(known(0u) >= before || sessions == 2u);
    }
}

/* Runs 1, 3 and 5 in one lane, 2 and 4 in the other: read in their order, and then the one that is. */
static void many_resets(void **state) {
    (void)state;
    for (uint32_t run = 0u; run < 5u; run++) {
        emit_many(run % 2u, 6u + run);
        boot();
    }
    attach();
    drain();
    assert_int_equal(sessions, 6);
    for (uint32_t run = 0u; run < 5u; run++) {
        assert_session(run, run % 2u, 6u + run, 0u);
        assert_session(run, (run + 1u) % 2u, 0u, 0u);
    }
    assert_int_equal(session[5].flags & KYMO_SESSION_PAST, 0);
}

static void another_image_does_not_read_it(void **state) {
    (void)state;
    emit_many(0u, 10u);
    kymo_rings[0][BLOCK_WORDS] ^= 1u; /* as if the fingerprint was another one */
    boot();
    attach();
    drain();
    assert_int_equal(sessions, 1);
    assert_int_equal(trace.frames[KYMO_FRAME_EVENTS], 0);
}

static void contexts_are_told_again(void **state) {
    (void)state;
    emit_many(0u, 3u);
    kymo_context before = kymo_interrupt_enter((kymo_context)&timer);
    emitted[0]++;
    emit_many(0u, 100u);
    boot();
    attach();
    drain();
    assert_int_equal(session[0].arrived[0] + session[0].lost[0], 104);
    assert_true(session[0].contexts >= 20u);
    assert_true(session[0].lost[0] > 10u);
    kymo_interrupt_leave(before);
}

static void stopped_keeps_what_there_is(void **state) {
    (void)state;
    kymo_zone open = kymo_zone_begin(&zone);
    emitted[0]++;
    emit_many(0u, 5u);
    kymo_stop();
    for (uint32_t i = 0u; i < 1000u; i++) {
        kymo_frame(&zone);
    }
    kymo_zone_end(open);
    assert_null(kymo_zone_begin(&zone));
    kymo_start();
    emit_many(0u, 2u);
    attach();
    drain();
    assert_session(0u, 0u, 8u, 0u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(garbage_is_no_recording, power_up),
        cmocka_unit_test_setup(what_fits_arrives, power_up),
        cmocka_unit_test_setup(the_newest_are_kept, power_up),
        cmocka_unit_test_setup(a_slow_reader_misses_the_oldest, power_up),
        cmocka_unit_test_setup(a_reset_leaves_what_was_recorded, power_up),
        cmocka_unit_test_setup(overwritten_while_it_is_sent, power_up),
        cmocka_unit_test_setup(a_reset_while_sending, power_up),
        cmocka_unit_test_setup(many_resets, power_up),
        cmocka_unit_test_setup(another_image_does_not_read_it, power_up),
        cmocka_unit_test_setup(contexts_are_told_again, power_up),
        cmocka_unit_test_setup(stopped_keeps_what_there_is, power_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
