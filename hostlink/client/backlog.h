/* SPDX-License-Identifier: MIT */
/* Bytes of the trace that wait to be read: those recorded before a viewer came, and those that a slow viewer has not
 * read yet. Bounded; memory is allocated and freed by the piece. */
#ifndef KYMO_CLIENT_BACKLOG_H
#define KYMO_CLIENT_BACKLOG_H

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
/* The oldest bytes, at most "most", which stay until backlog_drop(); *length is 0 if the backlog is empty. */
const uint8_t *backlog_peek(const struct backlog *backlog, size_t most, size_t *length);
/* Removes "length" of the bytes that backlog_peek() has returned. */
void backlog_drop(struct backlog *backlog, size_t length);
void backlog_free(struct backlog *backlog);

#endif
