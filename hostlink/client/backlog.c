/* SPDX-License-Identifier: MIT */
#include "client/backlog.h"

#include <stdlib.h>
#include <string.h>

struct backlog_piece {
    struct backlog_piece *next;
    size_t used;
    uint8_t bytes[BACKLOG_PIECE_BYTES];
};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static struct backlog_piece *piece_with_room(struct backlog *backlog) {
    struct backlog_piece *last = backlog->last;
    if (last != NULL && last->used < BACKLOG_PIECE_BYTES) {
        return last;
    }
    struct backlog_piece *piece = malloc(sizeof *piece);
    if (piece != NULL) {
        piece->next = NULL;
        piece->used = 0;
        *(last != NULL ? &last->next : &backlog->first) = piece;
        backlog->last = piece;
    }
    return piece;
}

size_t backlog_put(struct backlog *backlog, const uint8_t *bytes, size_t length) {
    size_t taken = 0;
    length = least(length, backlog->limit - least(backlog->limit, backlog->bytes));
    while (taken < length) {
        struct backlog_piece *piece = piece_with_room(backlog);
        if (piece == NULL) {
            break;
        }
        const size_t count = least(length - taken, BACKLOG_PIECE_BYTES - piece->used);
        memcpy(piece->bytes + piece->used, bytes + taken, count);
        piece->used += count;
        taken += count;
    }
    backlog->bytes += taken;
    return taken;
}

const uint8_t *backlog_peek(const struct backlog *backlog, size_t most, size_t *length) {
    const struct backlog_piece *first = backlog->first;
    *length = first != NULL ? least(most, first->used - backlog->read) : 0;
    return *length != 0 ? first->bytes + backlog->read : NULL;
}

void backlog_drop(struct backlog *backlog, size_t length) {
    struct backlog_piece *first = backlog->first;
    backlog->read += length;
    backlog->bytes -= length;
    if (backlog->read == first->used) {
        backlog->first = first->next;
        backlog->last = backlog->first == NULL ? NULL : backlog->last;
        backlog->read = 0;
        free(first);
    }
}

void backlog_free(struct backlog *backlog) {
    while (backlog->first != NULL) {
        struct backlog_piece *first = backlog->first;
        backlog->first = first->next;
        free(first);
    }
    *backlog = (struct backlog){.limit = backlog->limit};
}
