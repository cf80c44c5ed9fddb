/* SPDX-License-Identifier: MIT */
/* The flight recorder over resets: whenever one preempts, earlier events are readable, and sent
 * first. A board's reset is played by clearing all variables but those in the section that survives. */
#include <string.h>

#include "cases.h"
#include "newest_board.h"

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

CASE(a_reset_leaves_what_was_recorded, power_up) {
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

/* The runs before are overwritten while the first of them is read: all of their events are known, also those
 * at the end of a run of which nothing is left. */
CASE(overwritten_while_it_is_sent, power_up) {
    for (uint32_t packets = 0u; packets < 10u; packets++) {
        for (uint32_t count = 0u; count < 260u; count += 20u) {
            uint64_t all[LANES] = {0};
            (void)power_up(state);
            for (uint32_t run = 0u; run < 2u; run++) {
                emit_many(0u, 20u);
                emit_many(1u, 13u + run);
                boot();
            }
            attach();
            for (uint32_t i = 0u; i < packets; i++) {
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

/* Events sent before the reset are not sent again; the host, which stayed, misses nothing. */
CASE(a_reset_while_sending, power_up) {
    for (uint32_t count = 1u; count < 120u; count += 2u) {
        (void)power_up(state);
        attach();
        trace.cut = true;
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

/* The note of the sent events is written with its check last. A reset while it is written:
 * another host gets all of it once more. */
CASE(a_reset_while_what_was_sent_is_noted, power_up) {
    for (uint32_t count = 1u; count < 120u; count += 2u) {
        (void)power_up(state);
        attach();
        emit_many(0u, count);
        drain();
        const uint64_t arrived = session[0].arrived[0];
        kymo_sent[0].check = 0u;
        boot();
        memset(session, 0, sizeof session);
        sessions = 0u;
        attach();
        drain();
        assert_int_equal(sessions, 2);
        assert_session(0u, 0u, arrived, count - arrived);
    }
}

/* The note is whole, and of blocks that are not there. */
CASE(a_note_of_blocks_that_are_gone, power_up) {
    attach();
    emit_many(0u, 100u);
    drain();
    for (uint32_t i = 0u; i < KYMO_RING_WORDS; i++) {
        kymo_rings[0][i] = 0xa5a5a5a5u;
    }
    boot();
    emit_many(0u, 20u);
    attach();
    drain();
    assert_session(1u, 0u, 20u, 0u);
}

/* Runs 1, 3 and 5 in one lane, 2 and 4 in the other: read in their order, and then the one that is. */
CASE(many_resets, power_up) {
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

CASE(another_image_does_not_read_it, power_up) {
    emit_many(0u, 10u);
    kymo_rings[0][BLOCK_WORDS] ^= 1u; /* as if the fingerprint was another one */
    boot();
    attach();
    drain();
    assert_int_equal(sessions, 1);
    assert_int_equal(trace.packets[KYMO_PACKET_EVENTS], 0);
}

CASE(contexts_are_told_again, power_up) {
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
