/* SPDX-License-Identifier: MIT */
#include "model/board_info.h"

#include "wire/decode.h"

/* Takes text that is safe for a terminal; other bytes become '?'. */
static void take_text(char *text, const uint8_t *bytes, size_t length) {
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < BOARD_INFO_TEXT; i++) {
        text[used++] = bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '?';
    }
    text[used] = '\0';
}

static void take_numbers(uint32_t *number, struct reader *value) {
    for (unsigned i = 0; i < BOARD_INFO_NUMBERS; i++) {
        number[i] = value->length - value->at >= 4 ? read_u32(value) : 0;
    }
}

static void take_most(struct board_info *info, struct reader *value) {
    uint8_t lane = read_u8(value);
    uint32_t bytes = read_u32(value);
    if (!value->bad && lane < BOARD_INFO_LANES) {
        info->most_bytes[lane] = bytes;
    }
}

static bool take_core_clock(struct board_info *info, struct reader *value) {
    const uint8_t lane = read_u8(value);
    const uint32_t error = read_u32(value), times = read_u32(value), most = read_u32(value);
    if (value->bad || lane >= BOARD_INFO_LANES) {
        return false;
    }
    info->core_clock_asked[lane] = true;
    info->core_clock_error[lane] = error;
    info->core_clock_times[lane] = times;
    if (times != 0 && most > info->core_clock_most[lane]) { /* an earlier pass may know more */
        info->core_clock_most[lane] = most;
    }
    return true;
}

int64_t board_info_clock_ns(const struct board_info *info, uint32_t lane, uint64_t hz) {
    if (lane >= BOARD_INFO_LANES || !info->core_clock_asked[lane]) {
        return 0;
    }
    const uint32_t most = info->core_clock_most[lane];
    return info->core_clock_times[lane] == 0 || most == UINT32_MAX || hz == 0
               ? BOARD_INFO_CLOCK_UNKNOWN_NS
               : (int64_t)(most * UINT64_C(1000000000) / hz) + 1;
}

/* Clocks of other domains than that of the events are of a newer board. */
static bool take_clock(struct board_info *info, struct reader *value) {
    const uint32_t first = read_u32(value);
    const uint64_t slept = read_u64(value);
    if (value->bad || (first & 0xffu) != 0) {
        return false;
    }
    info->clock_changes = first >> 8;
    info->clock_slept = slept;
    return true;
}

/* A value may be longer than this hostlink knows for its type: the rest is of a newer board. */
static void take_entry(struct board_info *info, uint64_t type, struct reader *value) {
    bool is_known = true;
    switch (type) {
    case KYMO_INFO_RUNTIME:
    case KYMO_INFO_ARCH:
        take_text(info->text[type], value->bytes, value->length);
        break;
    case KYMO_INFO_RING_MOST:
        take_most(info, value);
        break;
    case KYMO_INFO_RING_BYTES:
    case KYMO_INFO_PACKET_BYTES:
    case KYMO_INFO_PAYLOAD_WORDS:
    case KYMO_INFO_DRAIN:
    case KYMO_INFO_LATENCY_MS:
    case KYMO_INFO_CHECK:
    case KYMO_INFO_CONTEXTS:
    case KYMO_INFO_KEEPS_NEWEST:
    case KYMO_INFO_DYNAMIC_SITES:
        take_numbers(info->number[type], value);
        break;
    case KYMO_INFO_LARGE:
        info->number[type][0] = read_u8(value);
        info->number[type][1] = read_u32(value);
        break;
    case KYMO_INFO_KERNEL: /* flags; ticks a second; its name */
        info->number[type][0] = read_u8(value);
        info->number[type][1] = read_u32(value);
        is_known = !value->bad;
        take_text(info->text[type], value->bytes + value->at, value->length - value->at);
        break;
    case KYMO_INFO_CLOCK:
        is_known = take_clock(info, value);
        break;
    case KYMO_INFO_CORE_CLOCK:
        is_known = take_core_clock(info, value);
        break;
    case KYMO_INFO_LOADED:
        info->loaded_at = value->length - value->at < 8 ? read_u32(value) : read_u64(value);
        is_known = !value->bad;
        break;
    default:
        is_known = false;
        break;
    }
    if (is_known) {
        info->has[type] = true;
    } else {
        info->unknown++;
    }
}

void board_info_take(struct board_info *info, struct reader *r) {
    while (r->at < r->length) {
        uint64_t type = read_varint(r);
        uint64_t bytes = read_varint(r);
        if (r->bad || bytes > r->length - r->at) {
            return;
        }
        struct reader value = {.bytes = r->bytes + r->at, .length = (size_t)bytes};
        take_entry(info, type, &value);
        r->at += (size_t)bytes;
    }
}

unsigned board_info_ring_percent(const struct board_info *info) {
    const uint64_t ring_bytes = info->number[KYMO_INFO_RING_BYTES][0];
    uint64_t most_bytes = 0;
    for (unsigned i = 0; i < BOARD_INFO_LANES; i++) {
        most_bytes = info->most_bytes[i] > most_bytes ? info->most_bytes[i] : most_bytes;
    }
    if (ring_bytes == 0 || most_bytes > ring_bytes) {
        return ring_bytes == 0 ? 0 : 100;
    }
    return (unsigned)((most_bytes * 100 + ring_bytes - 1) / ring_bytes);
}
