/* SPDX-License-Identifier: MIT */
#include "clock/set_back.h"

#include <stdio.h>

#include "wire/decode.h"

#define NS_PER_S UINT64_C(1000000000)
#define WRAP (UINT64_C(1) << 32)
/* Packets may be late by this much, one more than the other. */
#define LATE_NS (2 * NS_PER_S)

void set_back_restart(struct set_back *watch) { watch->heard = false; }

static bool ticks_of(const uint8_t *packet, size_t length, uint64_t *ticks) {
    struct reader r = packet_fields(packet, length);
    struct session_packet session;
    struct status_packet status;
    struct pong_packet pong;
    struct wire_head head;
    switch (packet_type(packet)) {
    case KYMO_PACKET_SESSION:
        read_session(&r, &session);
        *ticks = session.ticks;
        return !r.bad;
    case KYMO_PACKET_STATUS:
        read_status(&r, &status);
        *ticks = status.ticks;
        return !r.bad;
    case KYMO_PACKET_PONG:
        read_pong(&r, &pong);
        *ticks = pong.ticks;
        return !r.bad;
    case KYMO_PACKET_EVENTS:
        if (!decode_head(&r, &head)) {
            return false;
        }
        *ticks = head.ticks;
        return true;
    default:
        return false;
    }
}

static uint64_t in_ticks(uint64_t ns, uint64_t hz) {
    return (uint64_t)((clockfit_wide)ns * hz / NS_PER_S);
}

static uint64_t wraps_in(uint64_t ticks) {
    return ticks / WRAP + (ticks % WRAP > WRAP / 2 ? 1 : 0);
}

/* Time since the previous packet, by the host's clock that shows more. */
static uint64_t passed_ns(const struct set_back *watch, const struct host_epoch *host) {
    const uint64_t ns = host->now_ns - watch->host_ns;
    const uint64_t unix_ns = host->now_unix_ns - watch->host_unix_ns;
    return host->now_unix_ns > watch->host_unix_ns && unix_ns > ns ? unix_ns : ns;
}

static bool can_tell(const struct set_back *watch, const struct host_epoch *host, uint64_t hz) {
    return watch->heard && host->now_ns >= watch->host_ns && hz != 0 && hz < WRAP &&
           in_ticks(LATE_NS, hz) < WRAP / 2;
}

/* A jump is certain only if it is between half a wrap and a whole one, or several jumps are each nearly a whole
 * one. */
static bool is_jump(const struct set_back *watch, const struct host_epoch *host, uint64_t ticks,
                    uint64_t hz, uint64_t *by) {
    if (!can_tell(watch, host, hz) || ticks <= watch->ticks) {
        return false;
    }
    const uint64_t ahead = ticks - watch->ticks;
    const uint64_t passed = in_ticks(passed_ns(watch, host), hz);
    *by = ahead > passed ? ahead - passed : 0;
    const uint64_t rest = *by % WRAP;
    return *by > WRAP / 2 && (rest > WRAP / 2 || rest <= in_ticks(LATE_NS, hz));
}

void set_back_guard(const struct set_back *watch, const struct host_epoch *host, uint64_t hz,
                    struct clockfit_guard *guard) {
    const bool can = can_tell(watch, host, hz);
    const uint64_t passed = can ? in_ticks(passed_ns(watch, host), hz) : 0;
    guard->now = watch->ticks + passed;
    guard->from = guard->now + WRAP / 2;
    guard->until =
        can && guard->now < UINT64_MAX - 4 * WRAP ? guard->now + WRAP + in_ticks(LATE_NS, hz) : 0;
}

/* Steps between two packets, "by" in all: their places are unknown, only that each is about a wrap. */
static void add_steps(struct set_back *watch, uint32_t session, uint64_t ticks, uint64_t by) {
    const uint64_t wraps = wraps_in(by), each = by / wraps;
    const uint64_t apart = (ticks - watch->ticks) / wraps;
    watch->last = watch->count;
    for (uint64_t i = 0; i < wraps && watch->count < SET_BACK_STEPS; i++) {
        watch->steps[watch->count++] = (struct set_back_step){
            session,
            {watch->ticks + apart / 2 + i * apart, i == 0 ? by - (wraps - 1) * each : each}};
    }
    watch->known = true;
}

bool set_back_packet(struct set_back *watch, uint32_t session, const struct wire_packet *packet,
                     const struct host_epoch *host, uint64_t hz) {
    uint64_t ticks = 0, by = 0;
    if (!ticks_of(packet->bytes, packet->length, &ticks)) {
        return false;
    }
    const bool jump = is_jump(watch, host, ticks, hz, &by);
    if (jump) {
        watch->by = by;
        add_steps(watch, session, ticks, by);
    }
    if (!watch->heard || ticks >= watch->ticks) {
        watch->heard = true;
        watch->host_ns = host->now_ns;
        watch->host_unix_ns = host->now_unix_ns;
        watch->ticks = ticks;
    }
    return jump;
}

unsigned set_back_steps(const struct set_back *watch, uint32_t session,
                        struct clockfit_step steps[SET_BACK_STEPS]) {
    unsigned count = 0;
    for (unsigned i = 0; i < watch->count; i++) {
        if (watch->steps[i].session == session) {
            steps[count++] = watch->steps[i].step;
        }
    }
    return count;
}

void set_back_text(const struct set_back *watch, uint64_t hz, char text[SET_BACK_TEXT]) {
    const uint64_t by = watch->by;
    const uint64_t wraps = wraps_in(by);
    const uint64_t back = by < wraps * WRAP ? wraps * WRAP - by : 0;
    (void)snprintf(text, SET_BACK_TEXT,
                   "the counter of the board's clock was set back by about %.3f s, which looks "
                   "like a wrap of %.0f s, which is taken out: times are right within 0.1 s; let "
                   "nothing but kymo write to that counter, or choose another clock",
                   (double)back / (double)hz, (double)by / (double)hz);
}
