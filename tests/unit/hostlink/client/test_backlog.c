/* SPDX-License-Identifier: MIT */
/* Bytes that wait: they come out as they went in, never more of them than the limit, in pieces of any length. */
#include <stdlib.h>

#include "cases.h"
#include "client/backlog.h"

#define LIMIT (BACKLOG_PIECE_BYTES * 3u + 17u)

static uint8_t byte_at(uint64_t number) { return (uint8_t)(number * 31u + number / 251u); }

static uint64_t put(struct backlog *backlog, uint64_t from, size_t length) {
    static uint8_t bytes[LIMIT * 2u];
    for (size_t i = 0; i < length; i++) {
        bytes[i] = byte_at(from + i);
    }
    return from + backlog_put(backlog, bytes, length);
}

static uint64_t take(struct backlog *backlog, uint64_t from, size_t most) {
    size_t length;
    const uint8_t *bytes = backlog_peek(backlog, most, &length);
    assert_true(length <= most);
    assert_true((bytes != NULL) == (length != 0));
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(bytes[i], byte_at(from + i));
    }
    if (length != 0) {
        backlog_drop(backlog, length);
    }
    return from + length;
}

CASE(holds_its_limit) {
    struct backlog backlog = {.limit = LIMIT};
    assert_int_equal(take(&backlog, 0, 100), 0);
    assert_int_equal(put(&backlog, 0, LIMIT * 2u), LIMIT);
    assert_int_equal(put(&backlog, LIMIT, 1), LIMIT);
    assert_int_equal(take(&backlog, 0, 5), 5);
    assert_int_equal(put(&backlog, LIMIT, 10), LIMIT + 5u);
    uint64_t at = 5;
    while (at < LIMIT + 5u) {
        at = take(&backlog, at, 1000);
    }
    assert_int_equal(backlog.bytes, 0);
    assert_int_equal(take(&backlog, at, 1000), at);
    assert_null(backlog.first); /* no memory is kept */
    backlog_free(&backlog);
}

CASE(is_a_queue) {
    struct backlog backlog = {.limit = LIMIT};
    uint64_t written = 0, read = 0;
    srand(1);
    for (int i = 0; i < 20000; i++) {
        written = put(&backlog, written, (size_t)rand() % 3000u);
        read = take(&backlog, read, (size_t)rand() % 3000u + 1u);
        assert_int_equal(backlog.bytes, written - read);
        assert_true(backlog.bytes <= LIMIT);
    }
    assert_true(written > 10u * LIMIT);
    backlog_free(&backlog);
    assert_int_equal(backlog.bytes, 0);
    assert_int_equal(put(&backlog, 0, 7), 7);
    assert_int_equal(take(&backlog, 0, 100), 7);
    backlog_free(&backlog);
}
