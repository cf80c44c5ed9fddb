/* Frames that come again, and boards that begin anew with the number of the session before: what hostlink delivers
 * is what was recorded, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace.h"
#include "trace/deframe.h"
#include "trace/pipeline.h"

#define STREAM_BYTES (1024u * 1024u)
#define FRAMES_MAX 2048u

struct recording {
    uint8_t bytes[STREAM_BYTES];
    size_t length, events, frames;
    size_t at[FRAMES_MAX + 1]; /* where each frame begins */
    uint8_t type[FRAMES_MAX];
};
static struct recording boot, other;
static struct pipeline *pipeline;

static size_t take(void *context, const uint8_t *bytes, size_t length) {
    struct recording *r = context;
    assert_true(r->length + length <= STREAM_BYTES);
    memcpy(r->bytes + r->length, bytes, length);
    r->length += length;
    return length;
}

static void find_frames(struct recording *r) {
    r->frames = 0;
    for (size_t i = 0; i < r->length; i++) {
        if (r->bytes[i] == 0 && i > r->at[r->frames]) {
            r->type[r->frames] = r->bytes[r->at[r->frames] + 1] & KYMO_WIRE_TYPE_MASK;
            assert_true(r->frames < FRAMES_MAX);
            r->at[++r->frames] = i + 1;
        } else if (r->bytes[i] == 0) {
            r->at[r->frames] = i + 1;
        }
    }
}

/* A board that starts at the same tick each time, so that its session number is always the same. */
static void record(struct recording *r, size_t events, uint64_t step) {
    static struct kymo_transport transport = {.write = take};
    memset(r, 0, sizeof *r);
    fake_reset();
    trace_power_up();
    fake.clock_hz = 1000000u;
    fake.clock = 1000u;
    transport.context = r;
    kymo_init(&transport, "again");
    for (size_t i = 0; i < events; i++) {
        KYMO_PLOT("value", (int32_t)(i * step));
        fake.clock += step;
        r->events++;
        if (i % 20u == 19u) {
            while (kymo_drain(0)) {}
        }
    }
    fake.clock += 1000000u;
    for (unsigned idle = 0; idle < 4u; idle = kymo_drain(0) == 0 ? idle + 1u : 0u) {}
    find_frames(r);
}

static void feed(const struct recording *r) {
    assert_int_equal(pipeline_feed(pipeline, r->bytes, r->length), 0);
}

static void feed_frame(const struct recording *r, size_t frame) {
    assert_int_equal(
        pipeline_feed(pipeline, r->bytes + r->at[frame], r->at[frame + 1] - r->at[frame]), 0);
}

/* The number of the n-th frame of a type, counted from 0. */
static size_t frame_of(const struct recording *r, uint8_t type, size_t n) {
    size_t frame = 0;
    while (r->type[frame] != type || n-- > 0) {
        assert_true(++frame < r->frames);
    }
    return frame;
}

static void check(size_t delivered, size_t lost, size_t sessions) {
    struct pipeline_totals totals;
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.sessions, sessions);
    assert_int_equal(totals.delivered, delivered);
    assert_int_equal(totals.lost, lost);
    assert_int_equal(totals.unknown_names, 0);
}

static int set_up(void **state) {
    static const struct pipeline_callbacks nobody;
    (void)state;
    record(&boot, 2000, 100);
    pipeline = pipeline_new(&nobody, NULL);
    return pipeline != NULL ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    pipeline_free(pipeline);
    return 0;
}

static void a_stuck_buffer(void **state) {
    (void)state;
    size_t stuck = frame_of(&boot, KYMO_FRAME_EVENTS, 3);
    for (size_t i = 0; i < boot.frames; i++) {
        for (size_t k = 0; k < (i == stuck ? 200u : 1u); k++) {
            feed_frame(&boot, i);
        }
    }
    check(boot.events, 0, 1);
}

static void two_stuck_buffers(void **state) {
    (void)state;
    size_t stuck = frame_of(&boot, KYMO_FRAME_EVENTS, 5);
    for (size_t i = 0; i < boot.frames; i++) {
        feed_frame(&boot, i);
        for (size_t k = 0; i == stuck && k < 200; k++) {
            feed_frame(&boot, stuck - 1 + k % 2);
        }
    }
    check(boot.events, 0, 1);
}

static void all_that_came_within_a_second_again(void **state) {
    (void)state;
    for (size_t i = 0; i < boot.frames; i++) {
        feed_frame(&boot, i);
        for (size_t k = i - i % 50; i % 50 == 49 && k <= i; k++) {
            if (boot.type[k] != KYMO_FRAME_SESSION) {
                feed_frame(&boot, k);
            }
        }
    }
    check(boot.events, 0, 1);
}

static void a_stuck_session_frame(void **state) {
    (void)state;
    for (size_t i = 0; i < boot.frames; i++) {
        feed_frame(&boot, i);
        if (i % 10 == 9) {
            feed_frame(&boot, 0);
        }
    }
    assert_int_equal(boot.type[0], KYMO_FRAME_SESSION);
    check(boot.events, 0, 1);
}

static void the_same_start_again(void **state) {
    (void)state;
    feed(&boot);
    feed(&boot);
    feed(&boot);
    check(3 * boot.events, 0, 3);
}

static void another_run_with_the_same_number(void **state) {
    (void)state;
    record(&other, 1000, 90);
    feed(&boot);
    feed(&other);
    check(boot.events + other.events, 0, 2);
}

/* Fewer frames than decide it, all of them known, and no clock behind them: the end of the stream does. */
static void a_short_run_again_at_the_end(void **state) {
    (void)state;
    record(&other, 400, 100);
    feed(&other);
    for (size_t i = 0; i < other.frames; i++) {
        if (i == 0 || other.type[i] == KYMO_FRAME_SITES || other.type[i] == KYMO_FRAME_EVENTS) {
            feed_frame(&other, i);
        }
    }
    struct pipeline_totals totals;
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.sessions, 1); /* not yet */
    check(2 * other.events, 0, 2);
}

static void a_short_run_and_the_same_longer(void **state) {
    (void)state;
    for (size_t i = 0; i <= frame_of(&boot, KYMO_FRAME_EVENTS, 4); i++) {
        feed_frame(&boot, i);
    }
    struct pipeline_totals first;
    pipeline_totals(pipeline, &first);
    feed(&boot);
    struct pipeline_totals totals;
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.sessions, 2);
    assert_int_equal(totals.lost, 0);
    assert_true(totals.delivered > boot.events);
}

/* Without its SESSION frame and its first events. */
static void the_same_start_and_its_begin_is_lost(void **state) {
    (void)state;
    record(&other, 2000, 90);
    feed(&boot);
    size_t from = frame_of(&other, KYMO_FRAME_EVENTS, 1);
    for (size_t i = from; i < other.frames; i++) {
        if (other.type[i] == KYMO_FRAME_EVENTS) {
            feed_frame(&other, i);
        }
    }
    struct pipeline_totals totals;
    assert_int_equal(pipeline_end(pipeline), 0);
    pipeline_totals(pipeline, &totals);
    assert_int_equal(totals.sessions, 2);
    assert_int_equal(totals.emitted, boot.events + other.events);
    assert_true(totals.lost > 0 && totals.lost < 100);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_stuck_buffer),
        TEST(two_stuck_buffers),
        TEST(all_that_came_within_a_second_again),
        TEST(a_stuck_session_frame),
        TEST(the_same_start_again),
        TEST(another_run_with_the_same_number),
        TEST(a_short_run_again_at_the_end),
        TEST(a_short_run_and_the_same_longer),
        TEST(the_same_start_and_its_begin_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
