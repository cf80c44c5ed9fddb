/* SPDX-License-Identifier: MIT */
/* Bytes of the trace that wait to be read: what was recorded before a viewer came, and what one is too slow for.
 * Bounded; memory is taken and given back by the piece. */
#ifndef KYMO_CLIENT_BACKLOG_H
#define KYMO_CLIENT_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BACKLOG_PIECE_BYTES 65536u

struct backlog_piece;

/* All zero but "limit" is an empty one. */
struct backlog {
    size_t limit; /* most bytes */
    size_t bytes; /* that wait */
    size_t read;  /* of the first piece */
    struct backlog_piece *first, *last;
};

/* Takes as many as there is room for, and memory; returns how many. */
size_t backlog_put(struct backlog *backlog, const uint8_t *bytes, size_t length);
/* The oldest bytes, up to "most" of them, which stay until backlog_drop(); *length 0: there are none. */
const uint8_t *backlog_peek(const struct backlog *backlog, size_t most, size_t *length);
/* Of those that were peeked at. */
void backlog_drop(struct backlog *backlog, size_t length);
void backlog_free(struct backlog *backlog);

#endif
