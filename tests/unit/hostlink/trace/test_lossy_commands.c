/* SPDX-License-Identifier: MIT */
/* Commands over a line that loses bytes: the runtime, hostlink's side of the dialogue, and
 * between them a UART of 115200 baud with a receive FIFO of 16 bytes, which overruns while the
 * board does not read. One turn is a millisecond of a clock that the test plays. */
#include <string.h>

#include "base/host_clock.h"
#include "cases.h"
#include "kymo/kymo.h"
#include "kymo_arch.h"
#include "trace/dialogue.h"
#include "trace/pipeline.h"
#include "wire/guard.h"

#define FIFO_BYTES 16u
#define BYTES_A_MS 11u /* 115200 baud */
#define MINUTE_MS 60000u
#define START_MS 5000u

KYMO_PARAM(gain, "gain", 5, -10, 100);
KYMO_PARAM(bounded, "bounded", 5, -10, 100);

/* Bytes on their way. */
struct pipe {
    uint8_t bytes[4096];
    size_t count;
};

static struct line {
    struct pipe down, up;
    uint8_t fifo[FIFO_BYTES];
    size_t fifo_count;
    uint32_t random;
    uint32_t down_loss, up_loss; /* of a million bytes */
    uint32_t busy_ms;            /* from one call of kymo_drain() to the next */
    uint64_t now_ms, down_bytes, overruns;
} line;

static struct dialogue dialogue;
static struct guard guard;
static struct pipeline *pipeline;
static const char *wanted[2]; /* names that are waited for */
static int32_t wishes[2];
static bool asked[2];

static uint32_t random_below(uint32_t limit) {
    line.random = line.random * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)line.random * limit >> 32);
}

static bool is_lost(uint32_t loss) { return random_below(1000000u) < loss; }

static void put(struct pipe *pipe, const uint8_t *bytes, size_t count) {
    assert_true(count <= sizeof pipe->bytes - pipe->count);
    memcpy(pipe->bytes + pipe->count, bytes, count);
    pipe->count += count;
}

static void drop(struct pipe *pipe, size_t count) {
    memmove(pipe->bytes, pipe->bytes + count, pipe->count - count);
    pipe->count -= count;
}

/* ---- the board ---- */

static size_t board_write(void *context, const uint8_t *bytes, size_t length) {
    const size_t room = 64u - (line.up.count < 64u ? line.up.count : 64u);
    (void)context;
    length = length < room ? length : room;
    put(&line.up, bytes, length);
    return length;
}

static size_t board_read(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    length = length < line.fifo_count ? length : line.fifo_count;
    memcpy(bytes, line.fifo, length);
    memmove(line.fifo, line.fifo + length, line.fifo_count - length);
    line.fifo_count -= length;
    return length;
}

static const struct kymo_transport transport = {.write = board_write, .read = board_read};

static void board_turn(void) {
    fake.clock += fake.clock_hz / 1000u;
    if (line.now_ms % line.busy_ms == 0u) {
        for (unsigned i = 0; i < 8; i++) {
            (void)kymo_drain(0);
        }
    }
}

/* ---- the line ---- */

static void carry_down(void) {
    const size_t count = line.down.count < BYTES_A_MS ? line.down.count : BYTES_A_MS;
    for (size_t i = 0; i < count; i++) {
        line.down_bytes++;
        if (is_lost(line.down_loss)) {
            continue;
        }
        if (line.fifo_count == FIFO_BYTES) {
            line.overruns++;
        } else {
            line.fifo[line.fifo_count++] = line.down.bytes[i];
        }
    }
    drop(&line.down, count);
}

static void carry_up(void) {
    const size_t count = line.up.count < BYTES_A_MS ? line.up.count : BYTES_A_MS;
    for (size_t i = 0; i < count; i++) {
        if (!is_lost(line.up_loss)) {
            assert_int_equal(pipeline_feed(pipeline, line.up.bytes + i, 1), 0);
        }
    }
    drop(&line.up, count);
}

/* ---- the host ---- */

static void on_param(void *context, uint32_t index, const char *name, int32_t value,
                     int32_t minimum, int32_t maximum) {
    (void)context;
    dialogue_param(&dialogue, index, name, value, minimum, maximum);
    for (size_t i = 0; i < 2; i++) {
        if (wanted[i] && !asked[i] && strcmp(wanted[i], name) == 0) {
            asked[i] = params_ask(&dialogue.params, index, wishes[i]);
        }
    }
}

static void on_pong(void *context, uint64_t cookie, uint64_t ticks) {
    (void)context;
    (void)ticks;
    dialogue_pong(&dialogue, cookie, line.now_ms * NS_PER_MS);
}

static void host_turn(void) {
    struct pipeline_totals totals;
    uint8_t command[64], bytes[64];
    pipeline_totals(pipeline, &totals);
    const struct dialogue_view view = {.packets = totals.packets,
                                       .sessions = totals.sessions,
                                       .wants_names = pipeline_wants_names(pipeline),
                                       .wants_params =
                                           (wanted[0] && !asked[0]) || (wanted[1] && !asked[1])};
    const uint64_t now_ns = line.now_ms * NS_PER_MS;
    const bool ended = dialogue.ended;
    const size_t length = dialogue_next(&dialogue, &view, now_ns, command, sizeof command);
    if (length > 0) {
        const size_t count = guard_line(&guard, bytes, sizeof bytes, command, length, now_ns);
        put(&line.down, bytes + ended, count - ended);
    }
}

static void turn(void) {
    line.now_ms++;
    host_turn();
    carry_down();
    board_turn();
    carry_up();
}

static bool agrees(const char *name) {
    const struct param *param = params_find(&dialogue.params, name, strlen(name));
    return param && param->wish == PARAM_AGREED;
}

static void begin(uint32_t seed) {
    static const struct pipeline_callbacks callbacks = {.param = on_param, .pong = on_pong};
    line = (struct line){.random = seed, .busy_ms = 1, .now_ms = START_MS};
    dialogue = (struct dialogue){0};
    guard = (struct guard){0};
    memset(asked, 0, sizeof asked);
    memset(wanted, 0, sizeof wanted);
    fake_reset();
    gain_param.value = bounded_param.value = 5;
    kymo_init(&transport, "lossy");
    pipeline = pipeline_new(&callbacks, NULL);
    assert_non_null(pipeline);
}

static void end(void) {
    (void)pipeline_end(pipeline);
    pipeline_free(pipeline);
}

/* Both parameters are set within some minutes. */
static void both_arrive(uint32_t seed, uint32_t loss, uint32_t busy_ms) {
    begin(seed);
    line.down_loss = line.up_loss = loss;
    line.busy_ms = busy_ms;
    wanted[0] = "gain";
    wishes[0] = 42;
    wanted[1] = "bounded";
    wishes[1] = 1000; /* beyond its bounds: 100 is the answer */
    while (!(agrees("gain") && agrees("bounded"))) {
        assert_true(line.now_ms < START_MS + 3u * MINUTE_MS);
        turn();
    }
    assert_int_equal(gain_param.value, 42);
    assert_int_equal(bounded_param.value, 100);
    end();
}

CASE(arrive_on_a_sound_line) {
    both_arrive(1, 0, 1);
    assert_true(line.now_ms < START_MS + 2000u);
    assert_int_equal(line.overruns, 0);
}

CASE(arrive_where_bytes_are_lost) {
    for (uint32_t seed = 1; seed <= 50; seed++) {
        both_arrive(seed, 10000, 1);
        both_arrive(seed, 30000, 1);
    }
}

/* A command is 17 bytes with the zero byte before it: where the board does not read while it
 * comes, its last byte is lost, and the next command's first ends it. */
CASE(arrive_at_a_board_that_reads_late) {
    uint64_t overruns = 0;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        both_arrive(seed, 0, 50);
        overruns += line.overruns;
        both_arrive(seed, 10000, 20);
    }
    assert_true(overruns > 0);
}

/* The board ends with the last wish, whatever was lost or came twice on the
 * way. */
CASE(the_last_wish_counts) {
    for (uint32_t seed = 1; seed <= 30; seed++) {
        begin(seed);
        line.down_loss = line.up_loss = 20000;
        wanted[0] = "gain";
        wishes[0] = 0;
        while (!agrees("gain")) {
            turn();
        }
        const uint32_t index = params_find(&dialogue.params, "gain", 4)->index;
        for (int32_t wish = 1; wish <= 10; wish++) {
            wishes[0] = wish % 3;
            assert_true(params_ask(&dialogue.params, index, wishes[0]));
            for (uint32_t pause = random_below(400u); pause > 0; pause--) {
                turn();
            }
        }
        for (uint32_t i = 0; i < 15000u || !agrees("gain"); i++) {
            assert_true(i < MINUTE_MS);
            turn();
        }
        assert_int_equal(gain_param.value, wishes[0]);
        end();
    }
}

/* Nothing gets through: it is given up after so many tries, and said. */
CASE(a_dead_line_is_given_up) {
    begin(1);
    wanted[0] = "gain";
    wishes[0] = 7;
    while (!asked[0]) {
        turn();
    }
    line.down_loss = 1000000;
    line.down.count = 0;
    const struct param *param = params_find(&dialogue.params, "gain", 4);
    for (uint32_t i = 0; i < 2u * MINUTE_MS; i++) {
        turn();
    }
    assert_int_equal(param->wish, PARAM_GIVEN_UP);
    assert_int_equal(param->tries, PARAM_TRIES_MAX);
    assert_int_equal(param->has, 5);
    assert_int_equal(gain_param.value, 5);
    end();
}

/* A name that the board has not is asked for some times, not for ever. */
CASE(an_unknown_name_is_searched_for_a_while) {
    begin(1);
    wanted[0] = "nothing";
    for (uint32_t i = 0; i < 10u * MINUTE_MS; i++) {
        turn();
    }
    assert_false(asked[0]);
    assert_int_equal(dialogue.searches, 16);
    end();
}
