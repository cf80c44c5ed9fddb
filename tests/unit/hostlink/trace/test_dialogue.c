/* SPDX-License-Identifier: MIT */
/* Commands to the board, and their times, on a clock that the test plays. */
#include "trace/dialogue.h"

#include <string.h>

#include "base/host_clock.h"
#include "cases.h"
#include "trace/pipeline.h"
#include "wire/command.h"

static struct dialogue dialogue;
static struct dialogue_view view;
static uint64_t now_ms;

/* An answer that comes so late is no reason to ask again at once. */
#define SLOW_NS (5 * NS_PER_MS)

enum said { NOTHING, HELLO, NAMES, PING, SET, ELSE };

static enum said next(void) {
    uint8_t out[64], expected[64];
    uint64_t now_ns = now_ms * NS_PER_MS;
    size_t length = dialogue_next(&dialogue, &view, now_ns, out, sizeof out);
    if (length == 0) {
        return NOTHING;
    }
    if (length == command_hello(expected, sizeof expected) && memcmp(out, expected, length) == 0) {
        return HELLO;
    }
    if (length == command_get_names(expected, sizeof expected) &&
        memcmp(out, expected, length) == 0) {
        return NAMES;
    }
    if (length == command_set_param(expected, sizeof expected, 3, 7) &&
        memcmp(out, expected, length) == 0) {
        return SET;
    }
    return length == command_ping(expected, sizeof expected, now_ns) &&
                   memcmp(out, expected, length) == 0
               ? PING
               : ELSE;
}

static enum said after(uint64_t time_ms) {
    now_ms += time_ms;
    return next();
}

FIXTURE(reset) {
    dialogue = (struct dialogue){0};
    view = (struct dialogue_view){0};
    now_ms = 50000;
    return 0;
}

/* A board that is heard, after the first pings. */
static void settle(void) {
    next();
    for (int i = 0; i < 20; i++) {
        view.packets++;
        after(100);
    }
}

CASE(hello_until_heard, reset) {
    assert_int_equal(next(), HELLO);
    assert_int_equal(next(), NOTHING);
    assert_int_equal(after(999), NOTHING);
    assert_int_equal(after(1), HELLO);
    assert_int_equal(after(1000), HELLO);
    view.packets = 1;
    view.sessions = 1;
    assert_int_equal(after(1000), PING);
}

CASE(hello_after_silence, reset) {
    settle();
    assert_true(dialogue.pings > 8);
    view.packets++;
    after(0);
    for (int i = 0; i < 19; i++) {
        assert_int_not_equal(after(100), HELLO);
    }
    assert_int_equal(after(100), HELLO);
    assert_int_equal(after(900), NOTHING);
    assert_int_equal(after(100), HELLO);
}

CASE(hello_after_reset, reset) {
    view.sessions = 1;
    settle();
    view.packets++;
    view.sessions = 2;
    assert_int_equal(after(10), HELLO);
    assert_int_not_equal(after(10), HELLO);
}

CASE(names_when_wanted, reset) {
    assert_int_equal(next(), HELLO);
    view.packets++;
    view.wants_names = true;
    /* The greeting makes the board send them. */
    assert_int_equal(after(100), PING);
    assert_int_equal(after(99), NOTHING);
    now_ms = 50500;
    assert_int_equal(next(), NAMES);
    assert_int_equal(next(), NOTHING); /* one at a time is on its way */
    assert_int_equal(after(99), NOTHING);
    assert_int_equal(after(1), PING);
    now_ms = 50999;
    assert_int_equal(next(), PING);
    assert_int_equal(after(1), NOTHING);
    assert_int_equal(after(99), NAMES);
    view.wants_names = false;
    now_ms = 51600;
    assert_int_equal(next(), PING);
    assert_int_equal(next(), NOTHING);
}

/* The next command goes when the one before is answered, or after 100 ms. */
CASE(one_command_at_a_time, reset) {
    next();
    view.packets++;
    assert_int_equal(after(0), PING); /* the board was heard only now: the greeting is answered */
    dialogue_param(&dialogue, 3, "gain", 5, -10, 100);
    assert_false(params_ask(&dialogue.params, 4, 7));
    assert_true(params_ask(&dialogue.params, 3, 7));
    assert_int_equal(after(50), NOTHING);
    assert_true(dialogue_pong(&dialogue, 50000 * NS_PER_MS, now_ms * NS_PER_MS));
    assert_int_equal(next(), SET);
    assert_int_equal(after(99), NOTHING);
    dialogue_param(&dialogue, 3, "gain", 5, -10, 100); /* on its way before */
    assert_int_equal(next(), NOTHING);
    assert_int_equal(after(1), PING);
    assert_true(dialogue_pong(&dialogue, now_ms * NS_PER_MS, now_ms * NS_PER_MS + SLOW_NS));
    assert_int_equal(after(99), NOTHING);
    now_ms = 50051 + 250;
    assert_int_equal(next(), PING);
    assert_true(dialogue_pong(&dialogue, now_ms * NS_PER_MS, now_ms * NS_PER_MS + SLOW_NS));
    assert_int_equal(next(), SET);
    dialogue_param(&dialogue, 3, "gain", 7, -10, 100);
    assert_int_equal(after(100), PING);
    view.packets++;
    assert_int_equal(after(2000), PING);
    /* Another host has set it: asked again. */
    dialogue_param(&dialogue, 3, "gain", 8, -10, 100);
    assert_true(dialogue_pong(&dialogue, now_ms * NS_PER_MS, now_ms * NS_PER_MS + SLOW_NS));
    assert_int_equal(next(), SET);
    /* Restarted it has its first value, and it is for others to ask again. */
    dialogue_restart(&dialogue);
    assert_null(params_find(&dialogue.params, "gain", 4));
}

/* At its time, not after it; the first time is that of the wish, which may be 0. */
CASE(a_wish_is_sent_again_at_its_time) {
    struct params params = {0};
    uint8_t out[64];
    assert_false(params_answered(&params, 3, "gain", 5, -10, 100));
    assert_true(params_ask(&params, 3, 7));
    assert_int_not_equal(params_next(&params, 0, out, sizeof out), 0);
    assert_int_equal(params_next(&params, 250 * NS_PER_MS - 1, out, sizeof out), 0);
    assert_int_not_equal(params_next(&params, 250 * NS_PER_MS, out, sizeof out), 0);
    assert_int_equal(params_next(&params, 750 * NS_PER_MS - 1, out, sizeof out), 0);
    assert_int_not_equal(params_next(&params, 750 * NS_PER_MS, out, sizeof out), 0);
}

CASE(a_parameter_that_nobody_knows_is_searched_for, reset) {
    next();
    view.packets++;
    view.wants_params = true;
    assert_int_equal(after(0), PING);
    unsigned searches = 0;
    for (unsigned i = 0; i < 300000; i++) {
        view.packets++;
        searches += after(1) == NAMES;
    }
    assert_int_equal(searches, 16);
}

CASE(eight_quick_pings_then_some_a_second, reset) {
    assert_int_equal(next(), HELLO);
    unsigned pings = 0, places = 0, last = 0;
    for (unsigned i = 0; i < 10000; i++) {
        view.packets++;
        if (after(1) == PING) {
            /* A board that looks each 16 ms is asked at any time of that. */
            places |= 1u << i % 16;
            assert_in_range(i - last, pings == 0 ? 0 : pings <= 8 ? 100 : 200, 268);
            last = i;
            pings++;
        }
    }
    assert_in_range(pings, 8 + 9200 / 268, 8 + 9200 / 200);
    unsigned many = 0;
    for (unsigned place = 0; place < 16; place++) {
        many += places >> place & 1u;
    }
    assert_in_range(many, 12, 16);
}

/* A board that looks once a millisecond, 10 us away: each ping of a train waits less for it; then comes a rest. */
CASE(a_fast_board_is_asked_more_closely, reset) {
    const uint64_t period_ns = NS_PER_MS, way_ns = 10000;
    uint8_t out[64];
    uint64_t now_ns = now_ms * NS_PER_MS, first_ns = 0, least_ns = UINT64_MAX, waited_ns;
    assert_int_equal(next(), HELLO);
    view.packets++;
    for (unsigned pings = 0; pings < 8; pings++) {
        while (dialogue_next(&dialogue, &view, now_ns, out, sizeof out) == 0) {
            now_ns += 1000;
        }
        const uint64_t came_ns = now_ns + way_ns;
        const uint64_t read_ns = (came_ns + period_ns - 1) / period_ns * period_ns;
        waited_ns = read_ns - came_ns;
        first_ns = pings == 1 ? waited_ns : first_ns; /* right after the answer to the one before */
        least_ns = waited_ns < least_ns ? waited_ns : least_ns;
        assert_true(dialogue_pong(&dialogue, now_ns, read_ns + way_ns));
        now_ns = read_ns + way_ns;
        view.packets++;
    }
    assert_in_range(first_ns, 900000, 1000000);
    assert_in_range(least_ns, 0, 100000);
    assert_in_range(dialogue.ping_ns - now_ns, 90 * NS_PER_MS, 200 * NS_PER_MS);
}

/* Pings until a rest, each answered after so many us; the "quick" one, from 0, after 100. */
static unsigned train(uint64_t *now_ns, uint64_t slow_us, unsigned quick) {
    uint8_t out[64];
    for (unsigned pings = 0;; pings++) {
        const uint64_t before_ns = *now_ns;
        while (dialogue_next(&dialogue, &view, *now_ns, out, sizeof out) == 0) {
            *now_ns += 1000;
        }
        if (pings != 0 && *now_ns - before_ns > 50 * NS_PER_MS) {
            dialogue.free_ns = 0;
            return pings;
        }
        const uint64_t sent_ns = *now_ns;
        *now_ns += 1000 * (pings == quick ? 100 : slow_us);
        assert_true(dialogue_pong(&dialogue, sent_ns, *now_ns));
        view.packets++;
    }
}

/* As long as no ping of a train was about as quick as the best one, more follow; not without end. */
CASE(a_train_goes_on_until_a_ping_is_quick, reset) {
    uint64_t now_ns = now_ms * NS_PER_MS;
    assert_int_equal(next(), HELLO);
    view.packets++;
    assert_int_equal(train(&now_ns, 110, 0), 8);
    /* The first ping of the next train ended the loop, and has no answer. */
    assert_int_equal(train(&now_ns, 300, 10), 11);
    assert_int_equal(train(&now_ns, 300, 99), 16);
    assert_int_equal(train(&now_ns, 300, 3), 8);
}

/* Only then does the next command need no zero before it. */
CASE(the_board_has_read_the_end_of_an_answered_ping, reset) {
    next();
    view.packets++;
    assert_int_equal(after(0), PING);
    const uint64_t first_ns = now_ms * NS_PER_MS;
    assert_int_equal(after(100), PING);
    const uint64_t second_ns = now_ms * NS_PER_MS;
    assert_true(dialogue_pong(&dialogue, first_ns, second_ns));
    assert_false(dialogue.ended); /* the second's may be lost */
    assert_true(dialogue_pong(&dialogue, second_ns, second_ns + SLOW_NS));
    assert_true(dialogue.ended);
    view.wants_names = true;
    assert_int_equal(after(1000), NAMES);
    assert_false(dialogue.ended);
}

/* Watched for without sleep only where that is short, and an answer is open. */
CASE(an_answer_is_watched_for, reset) {
    next();
    view.packets++;
    assert_int_equal(after(0), PING);
    uint64_t sent_ns = now_ms * NS_PER_MS;
    assert_int_equal(dialogue_watch_ns(&dialogue), 0); /* nobody knows how long it takes */
    assert_true(dialogue_pong(&dialogue, sent_ns, sent_ns + SLOW_NS));
    assert_int_equal(after(100), PING);
    sent_ns = now_ms * NS_PER_MS;
    assert_int_equal(dialogue_watch_ns(&dialogue), 0); /* long */
    assert_true(dialogue_pong(&dialogue, sent_ns, sent_ns + 30000));
    assert_int_equal(dialogue_watch_ns(&dialogue), 0); /* no ping is open */
    assert_int_equal(after(100), PING);
    sent_ns = now_ms * NS_PER_MS;
    assert_in_range(dialogue_watch_ns(&dialogue), sent_ns + 30000, sent_ns + 2 * NS_PER_MS);
}

CASE(round_trip_of_own_pings_only, reset) {
    next();
    view.packets++;
    assert_int_equal(after(0), PING);
    uint64_t sent_ns = now_ms * NS_PER_MS;
    assert_false(dialogue_pong(&dialogue, sent_ns + 1, sent_ns + 100));
    assert_false(dialogue_pong(&dialogue, 0, sent_ns + 100));
    assert_int_equal(dialogue.pongs, 0);
    assert_true(dialogue_pong(&dialogue, sent_ns, sent_ns + 7000));
    assert_false(dialogue_pong(&dialogue, sent_ns, sent_ns + 1));
    assert_int_equal(dialogue.best_ns, 7000);
    assert_int_equal(after(100), PING);
    assert_true(
        dialogue_pong(&dialogue, sent_ns + 100 * NS_PER_MS, sent_ns + 100 * NS_PER_MS + 9000));
    assert_int_equal(dialogue.pongs, 2);
    assert_int_equal(dialogue.best_ns, 7000);
    assert_int_equal(dialogue.last_ns, 9000);
}
