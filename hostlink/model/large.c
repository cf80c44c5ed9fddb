/* SPDX-License-Identifier: MIT */
#include "model/large.h"

#include <string.h>

struct piece {
    uint8_t flags;
    uint64_t id, bytes, offset;
    uint8_t type;
    const char *name;
    size_t name_bytes;
};

static bool read_piece(struct reader *r, struct piece *piece) {
    *piece = (struct piece){.flags = read_u8(r)};
    piece->id = read_varint(r);
    piece->bytes = read_varint(r);
    piece->offset = read_varint(r);
    if ((piece->flags & KYMO_LARGE_FIRST) != 0) {
        piece->type = read_u8(r);
        piece->name = read_string(r, &piece->name_bytes);
    }
    return !r->bad && piece->id != 0 && piece->bytes <= KYMO_LARGE_BYTES_MAX &&
           piece->offset <= piece->bytes && r->length - r->at <= piece->bytes - piece->offset;
}

static int finish(struct larges *l, enum large_end end) {
    struct large large = l->open;
    if (large.id == 0) {
        return 0;
    }
    l->open.id = 0;
    l->last = large.id;
    l->whole += end == LARGE_WHOLE;
    l->cut += end == LARGE_CUT;
    l->cancelled += end == LARGE_CANCELLED;
    large.end = end;
    return l->receive == NULL ? 0 : l->receive(l->context, &large, NULL, 0);
}

static void open_large(struct larges *l, uint32_t session, const struct piece *piece) {
    const size_t kept =
        piece->name_bytes < KYMO_LARGE_NAME_BYTES ? piece->name_bytes : KYMO_LARGE_NAME_BYTES;
    l->open = (struct large){
        .session = session, .id = piece->id, .bytes = piece->bytes, .type = piece->type};
    if (kept != 0) {
        memcpy(l->open.name, piece->name, kept);
    }
}

/* After a missing piece nothing more is passed on: later bytes have no place. */
static int take_bytes(struct larges *l, const struct piece *piece, const uint8_t *bytes,
                      size_t length) {
    struct large *large = &l->open;
    if (piece->offset != large->received || piece->bytes != large->bytes) {
        const bool is_copy = piece->offset < large->received && piece->bytes == large->bytes;
        l->copies += is_copy ? 1 : 0;
        return is_copy ? 0 : finish(l, LARGE_CUT);
    }
    large->received += length;
    l->bytes += length;
    int result =
        length != 0 && l->receive != NULL ? l->receive(l->context, large, bytes, length) : 0;
    return result != 0 || large->received != large->bytes ? result : finish(l, LARGE_WHOLE);
}

int large_take(struct larges *l, uint32_t session, struct reader *r) {
    struct piece piece;
    if (!read_piece(r, &piece)) {
        l->wrong++;
        return 0;
    }
    if (piece.id <= l->last) {
        l->copies++;
        return 0;
    }
    int result = 0;
    if (l->open.id != piece.id) {
        result = finish(l, LARGE_CUT);
        open_large(l, session, &piece);
    }
    if (result == 0 && (piece.flags & KYMO_LARGE_CANCELLED) != 0) {
        return finish(l, LARGE_CANCELLED);
    }
    return result != 0 ? result : take_bytes(l, &piece, r->bytes + r->at, r->length - r->at);
}

int large_restart(struct larges *l) {
    int result = finish(l, LARGE_CUT);
    l->last = 0;
    return result;
}
