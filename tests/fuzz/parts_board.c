/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "clean.h"
#include "clock/clockfit.h"
#include "fuzz.h"
#include "model/board_info.h"
#include "model/board_watch.h"
#include "model/continuity/event_numbers.h"
#include "parts.h"
#include "source/beacon.h"
#include "wire/compose.h"

/* ---- a board's descriptions of itself ---- */

/* Each thing is reported once in a session. */
static void watch(uint8_t flags, uint64_t usage) {
    struct board_watch watch = {.usage = 0};
    (void)board_watch_session(&watch, flags);
    (void)board_watch_status(&watch, flags);
    if (board_watch_session(&watch, flags) != NULL && (flags & KYMO_SESSION_CLOCK_STANDS) == 0) {
        fuzz_wrong("a session is announced twice");
    }
    for (unsigned bit = 0; bit < BOARD_USAGE_BITS; bit++) {
        const bool is_said = (usage >> bit & 1u) != 0;
        const char *text = is_said ? board_watch_usage(&watch, usage) : "";
        if (text == NULL) {
            fuzz_wrong("a wrong use is not said");
        }
    }
    if (board_watch_usage(&watch, usage) != NULL) {
        fuzz_wrong("a wrong use is said twice");
    }
}

static void run_info(struct reader *r) {
    struct board_info info = {.unknown = 0};
    board_info_take(&info, r);
    for (unsigned type = 0; type < BOARD_INFO_TYPES; type++) {
        if (memchr(info.text[type], '\0', BOARD_INFO_TEXT) == NULL) {
            fuzz_wrong("a text of the board does not end");
        }
        must_be_clean(info.text[type], "a text of the board is no text");
    }
    if (board_info_ring_percent(&info) > 100) {
        fuzz_wrong("a ring is fuller than full");
    }
    watch((uint8_t)info.unknown, (uint64_t)info.loaded_at << 8 | info.clock_slept);
}

static size_t seed_info(uint32_t random, uint8_t *out, size_t size) {
    size_t at = 0;
    (void)size;
    for (uint32_t i = fuzz_next(&random) % 40u; i > 0; i--) {
        const uint32_t type = fuzz_next(&random) % (BOARD_INFO_TYPES + 2u);
        const uint32_t bytes = fuzz_next(&random) % (type < 3u ? 70u : 14u);
        at = put_varint(out, at, type);
        at = put_varint(out, at, bytes);
        for (uint32_t k = 0; k < bytes; k++) {
            out[at++] = (uint8_t)(fuzz_next(&random) % (k == 0 ? 64u : 128u));
        }
    }
    return at;
}

const struct part part_info = {run_info, seed_info};

/* ---- numbers of events ---- */

/* Events counted as lost were announced, and are taken back once at most. */
static void run_claims(struct reader *r) {
    struct event_numbers numbers = {.refused = false};
    uint64_t next = 0, lost = 0, most = 0;
    while (r->at < r->length) {
        const uint64_t first = read_varint(r), ticks = read_varint(r);
        const uint64_t count = read_u8(r);
        uint64_t taken_back = 0;
        const enum event_number verdict = event_numbers_judge(&numbers, next, first, ticks);
        if (verdict == NUMBER_BEHIND) {
            continue;
        }
        if (verdict == NUMBER_INCREDIBLE) {
            event_numbers_refuse(&numbers, first, count, ticks);
            continue;
        }
        lost += event_numbers_accept(&numbers, next, first, ticks, &taken_back);
        next = first + count;
        most = next > most ? next : most;
        if (taken_back > lost) {
            fuzz_wrong("more is taken back than was lost");
        }
        lost -= taken_back;
        if (lost > most || next < first || most > UINT64_C(1) << 57) {
            fuzz_wrong("more events are lost than were announced");
        }
        event_numbers_reached(&numbers, ticks + count);
    }
}

static size_t seed_claims(uint32_t random, uint8_t *out, size_t size) {
    uint64_t first = 0, ticks = fuzz_next(&random), before = 0;
    size_t at = 0;
    (void)size;
    for (uint32_t i = 0; i < 30u; i++) {
        const uint32_t choice = fuzz_next(&random) % 16u, count = fuzz_next(&random) % 256u;
        before = choice == 0 ? first : before;
        first = choice == 0   ? first + ((uint64_t)fuzz_next(&random) << (fuzz_next(&random) % 45u))
                : choice == 1 ? before
                : choice == 2 ? first + fuzz_next(&random) % 100000u
                              : first;
        at = put_varint(out, at, first);
        at = put_varint(out, at, ticks);
        out[at++] = (uint8_t)count;
        first += count;
        ticks += fuzz_next(&random) % 1000u;
    }
    return at;
}

const struct part part_claims = {run_claims, seed_claims};

/* ---- clocks ---- */

enum {
    CLOCK_TIME,
    CLOCK_TIME_BEFORE,
    CLOCK_HEARD,
    CLOCK_ASKED,
    CLOCK_CHANGE,
    CLOCK_CLAIM,
    CLOCK_GUARD,
    CLOCK_OPS
};

/* Whatever the clocks say: as ticks go on time does not go back, but where the clock was known to be set back; and it
 * stays where differences of two times fit. */
static void run_clock(struct reader *r) {
    const uint8_t flags = read_u8(r);
    const struct clockfit_step step = {.from = read_varint(r), .by = read_u32(r)};
    struct clockfit fit = {.ordered = flags % 2u != 0,
                           .board_hz = read_varint(r),
                           .steps = &step,
                           .step_count = flags < 128 ? 0 : 1};
    const bool goes_on = fit.step_count == 0;
    bool jumped = false;
    uint64_t ticks = read_varint(r), host_ns = read_varint(r);
    const int64_t offset_ns = (int64_t)(read_varint(r) >> 2);
    clockfit_start(&fit, ticks, offset_ns);
    int64_t last = clockfit_ns(&fit, ticks);
    while (r->at < r->length) {
        const uint8_t op = read_u8(r) % CLOCK_OPS;
        const uint64_t by = read_varint(r), other = read_varint(r);
        int64_t ns = last;
        switch (op) {
        case CLOCK_TIME:
            ticks = by > UINT64_MAX - ticks ? UINT64_MAX : ticks + by;
            ns = clockfit_ns(&fit, ticks);
            if (goes_on && ns < last) {
                fuzz_wrong("time goes back");
            }
            last = ns;
            break;
        case CLOCK_TIME_BEFORE:
            ns = clockfit_ns(&fit, ticks - (by < ticks ? by : ticks));
            /* A change counts from the latest tick on, and so many are remembered. */
            if (goes_on && by != 0 && ticks != 0 && fit.earlier_count < CLOCKFIT_EARLIER &&
                !jumped && ns > last) {
                fuzz_wrong("a tick before is later");
            }
            break;
        case CLOCK_HEARD:
            clock_rate_heard(&fit.rate, host_ns += other, ticks);
            clockfit_steer(&fit);
            break;
        case CLOCK_ASKED:
            clock_rate_asked(&fit.rate, host_ns += other, ticks);
            clockfit_steer(&fit);
            break;
        case CLOCK_CHANGE:
            clockfit_change(&fit, ticks - (by < ticks ? by : ticks), other, by);
            break;
        case CLOCK_GUARD:
            fit.guard = (struct clockfit_guard){ticks + by, ticks + by + other, ticks, 0, 0};
            break;
        default:
            clockfit_new_rate(&fit, ticks + by, other);
        }
        jumped = jumped || fit.guard.jumps > 0;
        if (ns < offset_ns || ns > INT64_MAX / 2) {
            fuzz_wrong("a time that cannot be");
        }
    }
}

static size_t seed_clock(uint32_t random, uint8_t *out, size_t size) {
    const uint64_t rates[] = {0, 1, 32768, 1000000, 16000000, 1000000000, UINT64_C(1) << 33};
    const uint64_t hz = rates[fuzz_next(&random) % 7u];
    const uint64_t ticks_a_ms = (hz == 0 ? 1000000 : hz) / 1000u;
    size_t at = put_little(out, 0, fuzz_next(&random), 1);
    (void)size;
    at = put_varint(out, at, (uint64_t)fuzz_next(&random) << (fuzz_next(&random) % 30u));
    at = put_little(out, at, fuzz_next(&random) * 3u, 4);
    at = put_varint(out, at, hz);
    at = put_varint(out, at, (uint64_t)fuzz_next(&random) << (fuzz_next(&random) % 30u));
    at = put_varint(out, at, (uint64_t)fuzz_next(&random) << (fuzz_next(&random) % 30u));
    at = put_varint(out, at, fuzz_next(&random) % 2u == 0 ? 0 : fuzz_next(&random));
    for (uint32_t i = 0; i < 60u; i++) {
        const uint32_t ms = fuzz_next(&random) % 300u;
        const uint32_t op = fuzz_next(&random) % 12u;
        const bool is_rate = op == CLOCK_CHANGE || op == CLOCK_CLAIM;
        if (op >= CLOCK_OPS) { /* the clocks go on together */
            at = put_little(out, at, CLOCK_TIME, 1);
            at = put_varint(out, at, ms * ticks_a_ms);
            at = put_varint(out, at, 0);
        }
        at = put_little(out, at, op < CLOCK_OPS ? op : CLOCK_HEARD + op % 2u, 1);
        at = put_varint(out, at, fuzz_next(&random) % 1000u);
        at = put_varint(out, at, is_rate ? rates[fuzz_next(&random) % 7u] : ms * UINT64_C(1000000));
    }
    return at;
}

const struct part part_clock = {run_clock, seed_clock};

/* ---- announcements ---- */

static void run_beacon(struct reader *r) {
    struct beacon beacon;
    const struct in_addr from = {.s_addr = read_u32(r)};
    const size_t left = r->length > r->at ? r->length - r->at : 0;
    if (beacon_parse(&beacon, r->bytes + r->at, left, &from)) {
        must_be_clean(beacon.name, "a board's name is no text");
        if (beacon.port == 0 || strlen(beacon.name) >= BEACON_NAME_SIZE) {
            fuzz_wrong("a board that cannot be");
        }
    }
}

static size_t seed_beacon(uint32_t random, uint8_t *out, size_t size) {
    size_t at = put_little(out, 0, fuzz_next(&random), 4);
    const uint32_t length = fuzz_next(&random) % 70u;
    (void)size;
    memcpy(out + at, "kymo\1\0", 6);
    at += 6;
    for (uint32_t i = 0; i < 8; i++) { /* port, MAC address */
        out[at++] = (uint8_t)fuzz_next(&random);
    }
    out[at++] = (uint8_t)length;
    for (uint32_t i = 0; i < length; i++) {
        out[at++] = (uint8_t)(fuzz_next(&random) % 8u == 0 ? fuzz_next(&random) : 'a' + i % 26u);
    }
    return at;
}

const struct part part_beacon = {run_beacon, seed_beacon};
