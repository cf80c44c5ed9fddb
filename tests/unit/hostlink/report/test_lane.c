/* SPDX-License-Identifier: MIT */
#include "report/lane.h"

#include <stdlib.h>
#include <string.h>

#include "cases.h"

#define PIECES 20000u

/* ---- a decoder written from the comment in lane.h ---- */

static uint64_t number(const uint8_t **at) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
}

static int64_t halved(uint64_t value) {
    return value % 2 == 0 ? (int64_t)(value / 2) : -(int64_t)(value / 2) - 1;
}

static double value(const uint8_t **at) {
    const uint64_t first = number(at);
    double real;
    if (first % 2 == 0) {
        return (double)halved(first / 2);
    }
    memcpy(&real, *at, sizeof real); /* on a machine of this byte order */
    *at += sizeof real;
    return real;
}

static size_t decode_all(const struct lane *lane, struct piece *pieces) {
    const uint8_t *at = lane->bytes;
    int64_t end_ns = 0;
    size_t count = 0;
    while (at < lane->bytes + lane->used) {
        struct piece *piece = &pieces[count++];
        const uint64_t head = number(&at);
        *piece = (struct piece){.name = (uint32_t)(head >> 2), .keep = head % 2 != 0, .count = 1};
        piece->start_ns = end_ns + halved(number(&at));
        piece->length_ns = number(&at);
        piece->busy_ns = piece->length_ns;
        if ((head & 2) != 0) {
            piece->count = number(&at);
            piece->busy_ns = number(&at);
        }
        if (lane->curve) {
            piece->last = piece->low = piece->high = value(&at);
            if ((head & 2) != 0) {
                piece->low = value(&at);
                piece->high = value(&at);
            }
        }
        end_ns = piece->start_ns + (int64_t)piece->length_ns;
    }
    assert_ptr_equal(at, lane->bytes + lane->used);
    assert_int_equal(count, lane->pieces);
    return count;
}

/* ---- pieces as they come ---- */

static uint32_t random_state;
static uint32_t up_to(uint32_t most) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % most;
}

static void make(struct piece *pieces) {
    int64_t time_ns = -500;
    for (uint32_t i = 0; i < PIECES; i++) {
        const uint64_t length_ns = i % 997 == 0 ? 5000000 : up_to(3000);
        time_ns += up_to(2000);
        pieces[i] = (struct piece){.start_ns = time_ns,
                                   .length_ns = length_ns,
                                   .busy_ns = length_ns,
                                   .most_ns = length_ns,
                                   .name = up_to(70000),
                                   .count = 1,
                                   .keep = i >= 4000 && i < 4100,
                                   .last = i % 3 == 0 ? 0.1 * i : (double)i - 900.0};
        pieces[i].low = pieces[i].high = pieces[i].last;
        time_ns += (int64_t)length_ns;
    }
}

static void put_all(struct lane *lane, const struct piece *pieces) {
    for (uint32_t i = 0; i < PIECES; i++) {
        assert_int_equal(lane_put(lane, &pieces[i]), 0);
    }
}

static struct piece *room(void) {
    struct piece *pieces = calloc(PIECES, sizeof *pieces);
    assert_non_null(pieces);
    return pieces;
}

/* All that was put, as long as nothing is thinned. */
CASE(is_whole) {
    struct piece *put = room(), *got = room();
    for (unsigned curve = 0; curve < 2; curve++) {
        struct lane lane = {.curve = curve != 0};
        make(put);
        put_all(&lane, put);
        assert_int_equal(lane_end(&lane), 0);
        assert_int_equal(decode_all(&lane, got), PIECES);
        for (uint32_t i = 0; i < PIECES; i++) {
            assert_true(got[i].start_ns == put[i].start_ns && got[i].length_ns == put[i].length_ns);
            assert_true(got[i].name == put[i].name && got[i].keep == put[i].keep);
            assert_true(curve == 0 || got[i].last == put[i].last);
        }
        lane_free(&lane);
    }
    free(put);
    free(got);
}

/* One of "got" stands for some of "put", from *at on. */
static void stands_for(const struct piece *got, const struct piece *put, uint32_t *at, bool curve) {
    uint64_t busy_ns = 0;
    double low = put[*at].last, high = low, last = low;
    const uint32_t first = *at;
    for (uint64_t i = 0; i < got->count; i++, (*at)++) {
        busy_ns += put[*at].length_ns;
        low = put[*at].last < low ? put[*at].last : low;
        high = put[*at].last > high ? put[*at].last : high;
        last = put[*at].last;
    }
    const struct piece *end = &put[*at - 1];
    assert_true(got->start_ns == put[first].start_ns && got->busy_ns == busy_ns);
    assert_true(got->start_ns + (int64_t)got->length_ns == end->start_ns + (int64_t)end->length_ns);
    assert_true(!curve || (got->low == low && got->high == high && got->last == last));
}

/* The thinned pieces stand for all that were put; long or kept ones stay. */
CASE(is_thinned) {
    struct piece *put = room(), *got = room();
    for (unsigned curve = 0; curve < 2; curve++) {
        struct lane lane = {.curve = curve != 0};
        make(put);
        put_all(&lane, put);
        for (size_t used = lane.used; used > 40000; used = lane.used) {
            assert_int_equal(lane_thin(&lane), 0);
            assert_true(lane.used <= used - used / 4);
        }
        assert_int_equal(lane_end(&lane), 0);
        const size_t count = decode_all(&lane, got);
        uint32_t at = 0, kept = 0, longest = 0;
        for (size_t i = 0; i < count; i++) {
            stands_for(&got[i], put, &at, lane.curve);
            kept += got[i].keep && got[i].count == 1;
            longest += got[i].length_ns == 5000000 && got[i].count == 1;
            assert_true(got[i].count == 1 || got[i].length_ns < lane.thin_ns);
        }
        assert_int_equal(at, PIECES);
        assert_int_equal(lane.given, PIECES);
        assert_int_equal(kept, 100);
        assert_true(longest == (PIECES + 996) / 997 || lane.thin_ns > 5000000);
        lane_free(&lane);
    }
    free(put);
    free(got);
}

/* A lane in which nothing is short stays as it is, and the call returns. */
CASE(cannot_be_thinned) {
    struct lane lane = {0};
    struct piece piece = {.length_ns = 1000, .busy_ns = 1000, .count = 1, .keep = true};
    for (unsigned i = 0; i < 100; i++, piece.start_ns += 1000) {
        assert_int_equal(lane_put(&lane, &piece), 0);
    }
    assert_int_equal(lane_thin(&lane), 0);
    assert_int_equal(lane_end(&lane), 0);
    assert_int_equal(lane.pieces, 100);
    lane_free(&lane);
    assert_int_equal(lane_thin(&lane), 0);
}
