/* SPDX-License-Identifier: MIT */
#include "report/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 96u
#define WHOLE_MAX 1125899906842624.0 /* 2^50 */

/* ---- numbers ---- */

static uint64_t zigzag(int64_t value) {
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t value) {
    return (int64_t)(value >> 1 ^ ((value & 1) != 0 ? UINT64_MAX : 0));
}

static uint8_t *put_number(uint8_t *at, uint64_t value) {
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static const uint8_t *get_number(const uint8_t *at, uint64_t *value) {
    unsigned shift = 0;
    *value = 0;
    do {
        *value |= (uint64_t)(*at & 0x7f) << shift;
        shift += 7;
    } while ((*at++ & 0x80) != 0);
    return at;
}

static uint8_t *put_value(uint8_t *at, double value) {
    uint64_t bits;
    if (value >= -WHOLE_MAX && value <= WHOLE_MAX && (double)(int64_t)value == value) {
        return put_number(at, zigzag((int64_t)value) << 1);
    }
    memcpy(&bits, &value, sizeof bits);
    *at++ = 1;
    for (unsigned i = 0; i < 8; i++) {
        *at++ = (uint8_t)(bits >> 8 * i);
    }
    return at;
}

static const uint8_t *get_value(const uint8_t *at, double *value) {
    uint64_t number;
    at = get_number(at, &number);
    if ((number & 1) == 0) {
        *value = (double)unzigzag(number >> 1);
        return at;
    }
    number = 0;
    for (unsigned i = 0; i < 8; i++) {
        number |= (uint64_t)*at++ << 8 * i;
    }
    memcpy(value, &number, sizeof *value);
    return at;
}

/* ---- pieces ---- */

static int encode(struct lane *lane, const struct piece *piece) {
    const bool several = piece->count > 1;
    if (lane->used + PIECE_BYTES > lane->size) {
        const size_t size = lane->size + lane->size / 2 + 4 * PIECE_BYTES;
        uint8_t *bytes = realloc(lane->bytes, size);
        if (!bytes) {
            return -ENOMEM;
        }
        lane->bytes = bytes;
        lane->size = size;
    }
    uint8_t *at = lane->bytes + lane->used;
    at = put_number(at, (uint64_t)piece->name << 2 | (several ? 2u : 0u) | (piece->keep ? 1u : 0u));
    at = put_number(at, zigzag(piece->start_ns - lane->end_ns));
    at = put_number(at, piece->length_ns);
    if (several) {
        at = put_number(put_number(at, piece->count), piece->busy_ns);
    }
    if (lane->curve) {
        at = put_value(at, piece->last);
        at = several ? put_value(put_value(at, piece->low), piece->high) : at;
    }
    lane->used = (size_t)(at - lane->bytes);
    lane->end_ns = piece->start_ns + (int64_t)piece->length_ns;
    lane->pieces++;
    return 0;
}

static const uint8_t *decode(const struct lane *lane, const uint8_t *at, int64_t *end_ns,
                             struct piece *piece) {
    uint64_t head, start;
    at = get_number(at, &head);
    at = get_number(at, &start);
    *piece = (struct piece){.name = (uint32_t)(head >> 2),
                            .keep = (head & 1) != 0,
                            .start_ns = *end_ns + unzigzag(start),
                            .count = 1};
    at = get_number(at, &piece->length_ns);
    piece->busy_ns = piece->length_ns;
    if ((head & 2) != 0) {
        at = get_number(at, &piece->count);
        at = get_number(at, &piece->busy_ns);
    }
    piece->most_ns = piece->busy_ns;
    if (lane->curve) {
        at = get_value(at, &piece->last);
        piece->low = piece->high = piece->last;
        if ((head & 2) != 0) {
            at = get_value(at, &piece->low);
            at = get_value(at, &piece->high);
        }
    }
    *end_ns = piece->start_ns + (int64_t)piece->length_ns;
    return at;
}

/* Both are short, and so is what they would be together. */
static bool may_join(const struct lane *lane, const struct piece *first,
                     const struct piece *second) {
    const int64_t first_end_ns = first->start_ns + (int64_t)first->length_ns;
    const int64_t end_ns = second->start_ns + (int64_t)second->length_ns;
    return lane->thin_ns != 0 && !first->keep && !second->keep &&
           second->start_ns >= first_end_ns && (uint64_t)(end_ns - first->start_ns) < lane->thin_ns;
}

static void join(struct piece *first, const struct piece *second) {
    if (second->most_ns > first->most_ns) {
        first->name = second->name;
        first->most_ns = second->most_ns;
    }
    first->length_ns = (uint64_t)(second->start_ns + (int64_t)second->length_ns - first->start_ns);
    first->count += second->count;
    first->busy_ns += second->busy_ns;
    first->low = second->low < first->low ? second->low : first->low;
    first->high = second->high > first->high ? second->high : first->high;
    first->last = second->last;
}

static int take(struct lane *lane, const struct piece *piece) {
    int error = 0;
    if (lane->is_waiting && may_join(lane, &lane->waiting, piece)) {
        join(&lane->waiting, piece);
        return 0;
    }
    error = lane->is_waiting ? encode(lane, &lane->waiting) : 0;
    lane->waiting = *piece;
    lane->is_waiting = true;
    return error;
}

int lane_put(struct lane *lane, const struct piece *piece) {
    lane->given++;
    return take(lane, piece);
}

int lane_end(struct lane *lane) {
    const int error = lane->is_waiting ? encode(lane, &lane->waiting) : 0;
    lane->is_waiting = false;
    return error;
}

void lane_free(struct lane *lane) {
    free(lane->bytes);
    *lane = (struct lane){.curve = lane->curve};
}

/* ---- thinning ---- */

static int again(struct lane *lane, uint64_t thin_ns) {
    struct lane thin = {.curve = lane->curve, .thin_ns = thin_ns, .given = lane->given};
    const struct piece waiting = lane->waiting;
    const uint8_t *at = lane->bytes, *end = lane->used > 0 ? lane->bytes + lane->used : lane->bytes;
    int64_t end_ns = 0;
    int error = 0;
    while (at < end && error == 0) {
        struct piece piece;
        at = decode(lane, at, &end_ns, &piece);
        error = take(&thin, &piece);
    }
    error = error == 0 && lane->is_waiting ? take(&thin, &waiting) : error;
    lane_free(lane);
    *lane = thin;
    return error;
}

int lane_thin(struct lane *lane) {
    const size_t enough = lane->used - lane->used / 4;
    const uint64_t covered_ns = lane->end_ns > 0 ? (uint64_t)lane->end_ns : 0;
    /* The mean length of a piece with the gap after it. */
    uint64_t thin_ns = covered_ns / (lane->pieces + 1);
    int error = 0;
    do {
        thin_ns = thin_ns > 2 * lane->thin_ns ? thin_ns : 2 * lane->thin_ns;
        error = again(lane, thin_ns != 0 ? thin_ns : 1);
        thin_ns = 2 * lane->thin_ns;
    } while (error == 0 && lane->used > enough && lane->thin_ns < covered_ns);
    return error;
}
