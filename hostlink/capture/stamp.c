/* SPDX-License-Identifier: MIT */
#include "capture/stamp.h"

#include <string.h>

static size_t find_gap(const struct stamp *stamp, const uint8_t *bytes, size_t length) {
    if (!stamp->given || !stamp->in_packet) {
        return 0;
    }
    const uint8_t *zero = memchr(bytes, 0, length);
    return zero ? (size_t)(zero - bytes) + 1 : STAMP_NOT_HERE;
}

size_t stamp_place(struct stamp *stamp, const uint8_t *bytes, size_t length, uint64_t now_ns) {
    size_t place = STAMP_NOT_HERE;
    if (length == 0) {
        return place;
    }
    if (!stamp->given || now_ns - stamp->last_ns >= STAMP_PERIOD_NS) {
        place = find_gap(stamp, bytes, length);
    }
    if (place != STAMP_NOT_HERE) {
        stamp->given = true;
        stamp->last_ns = now_ns;
    }
    stamp->in_packet = bytes[length - 1] != 0;
    return place;
}
