/* SPDX-License-Identifier: MIT */
#include "trace/host_times.h"

#include "trace/pipeline_state.h"
#include "wire/fields.h"

#define NS_PER_S UINT64_C(1000000000)
/* A ping that was answered later is too inexact; one with a time in the future is not of this host. */
#define PING_NS_MAX UINT64_C(1000000000)

static void told(struct pipeline *p, uint64_t ticks) {
    struct host_times *times = &p->host_times;
    times->latest_ticks = ticks > times->latest_ticks ? ticks : times->latest_ticks;
}

/* The year 2096; clocks that say more are wrong. */
#define UNIX_NS_MAX INT64_C(4000000000000000000)

static int64_t unix_less_monotonic(const struct host_epoch *host) {
    const int64_t ns = (int64_t)(host->first_unix_ns - host->first_ns);
    return ns > 0 && ns < UNIX_NS_MAX ? ns : 0;
}

static int give(struct pipeline *p, bool asked, uint64_t ticks, uint64_t host_ns) {
    const struct host_mark mark = {.session = session_number(p),
                                   .asked = asked,
                                   /* a clock that shows n is between n and n + 1 */
                                   .board_ns = clockfit_look(&p->clock, ticks + asked),
                                   .tick_ns = (int64_t)(NS_PER_S / clockfit_hz(&p->clock)) + 1,
                                   .host_ns = (int64_t)(host_ns & INT64_MAX),
                                   .unix_ns = unix_less_monotonic(&p->host)};
    return p->callbacks.host(p->callbacks.context, &mark);
}

bool pipeline_host_guess(const struct pipeline *p, struct host_mark *mark) {
    *mark = (struct host_mark){.session = session_number(p),
                               .board_ns = clockfit_look(&p->clock, p->host_times.latest_ticks),
                               .host_ns = (int64_t)(p->host.now_ns & INT64_MAX)};
    return p->clock.based && p->host.known && p->host_times.latest_ticks != 0;
}

/* Bytes that came before a stamp of the host's clock had arrived by then. */
static int settle(struct pipeline *p) {
    const struct host_times times = p->host_times;
    const uint64_t now_ns = p->host.now_ns;
    int result = 0;
    p->host_times = (struct host_times){0};
    if (!p->clock.based || times.latest_ticks == 0) {
        return 0;
    }
    if (times.asked_ns != 0 && times.asked_ns <= now_ns && now_ns - times.asked_ns < PING_NS_MAX) {
        result = give(p, true, times.asked_ticks, times.asked_ns);
    }
    return result != 0 ? result : give(p, false, times.latest_ticks, now_ns);
}

int host_times_take(struct pipeline *p, const struct wire_packet *packet) {
    struct reader r = packet_fields(packet->bytes, packet->length);
    struct session_packet session;
    struct status_packet status;
    struct pong_packet pong;
    struct wire_head head;
    switch (packet_type(packet->bytes)) {
    case KYMO_PACKET_HOST_CLOCK:
        return settle(p);
    case KYMO_PACKET_SESSION:
        read_session(&r, &session);
        p->host_times = (struct host_times){0}; /* the clock may start again */
        told(p, r.bad || (session.flags & KYMO_SESSION_PAST) != 0 ? 0 : session.ticks);
        return 0;
    case KYMO_PACKET_STATUS:
        read_status(&r, &status);
        told(p, r.bad ? 0 : status.ticks);
        return 0;
    case KYMO_PACKET_EVENTS:
        told(p, decode_head(&r, &head) ? head.ticks : 0);
        return 0;
    case KYMO_PACKET_PONG:
        read_pong(&r, &pong);
        if (!r.bad) {
            p->host_times.asked_ns = pong.cookie;
            p->host_times.asked_ticks = pong.ticks;
            told(p, pong.answered);
        }
        return 0;
    default:
        return 0;
    }
}
