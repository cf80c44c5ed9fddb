/* SPDX-License-Identifier: MIT */
#include "clock/clock_watch.h"

#include <stdio.h>

#include "wire/fields.h"

/* A ping that was answered later than this gives no rate; nor does one that comes from beyond the
 * host's clock, which is written down every 20 ms. */
#define PING_NS_MAX UINT64_C(500000000)
#define STAMP_NS_MAX UINT64_C(20000000)
/* A board's clock may differ from the host's by this much before it is reported: emulators stretch
 * time, and short captures measure badly. */
#define TOLERANCE_PERCENT 20u
#define RATE_CHECK_NS UINT64_C(5000000000)
/* A clock that is wrong by this factor is reported after a second. */
#define FAR_FACTOR 4u
#define FAR_CHECK_NS UINT64_C(1000000000)
/* A clock that does not advance in this time has stopped. */
#define STAND_CHECK_NS UINT64_C(1000000000)

static void heard(struct clockfit *clock, const struct reader *r, uint64_t ticks,
                  uint64_t host_ns) {
    if (!r->bad) {
        clock_rate_heard(&clock->rate, host_ns, ticks);
        clockfit_steer(clock);
    }
}

static void answered(struct clockfit *clock, struct reader *r, uint64_t host_ns) {
    struct pong_packet pong;
    read_pong(r, &pong);
    if (r->bad) {
        return;
    }
    if (pong.cookie <= host_ns + STAMP_NS_MAX &&
        host_ns - pong.cookie + STAMP_NS_MAX <= PING_NS_MAX) {
        clock_rate_asked(&clock->rate, pong.cookie, pong.ticks);
    }
    clockfit_steer(clock);
}

void clock_watch_packet(struct clockfit *clock, const uint8_t *packet, size_t length,
                        uint64_t host_ns) {
    struct reader r = packet_fields(packet, length);
    struct session_packet session;
    struct status_packet status;
    switch (packet_type(packet)) {
    case KYMO_PACKET_SESSION:
        read_session(&r, &session);
        heard(clock, &r, session.ticks, host_ns);
        break;
    case KYMO_PACKET_STATUS:
        read_status(&r, &status);
        heard(clock, &r, status.ticks, host_ns);
        break;
    case KYMO_PACKET_PONG:
        answered(clock, &r, host_ns);
        break;
    default:
        break;
    }
}

bool clock_watch_warns(const struct clockfit *clock, char text[CLOCK_WATCH_TEXT]) {
    uint64_t measured = clock_rate_hz(&clock->rate), said = clock->board_hz;
    uint64_t span_ns = clock_rate_span_ns(&clock->rate);
    if (clock_rate_stands(&clock->rate) && span_ns >= STAND_CHECK_NS) {
        (void)snprintf(text, CLOCK_WATCH_TEXT,
                       "the board's clock does not run, so all times are wrong: choose "
                       "another clock in its arch port");
        return true;
    }
    const bool far = (measured / FAR_FACTOR >= said || said / FAR_FACTOR >= measured) &&
                     clock_rate_is_even(&clock->rate, measured);
    if (measured == 0 || said == 0 || span_ns < (far ? FAR_CHECK_NS : RATE_CHECK_NS)) {
        return false;
    }
    uint64_t difference = measured > said ? measured - said : said - measured;
    if (difference / (said / 100 + 1) <= TOLERANCE_PERCENT) {
        return false;
    }
    /* A clock that misses wraps seems to run slower than it does. */
    (void)snprintf(text, CLOCK_WATCH_TEXT,
                   "the board says that its clock runs at %llu Hz, against the host's it runs at "
                   "about %llu Hz, so times are wrong: set KYMO_CLOCK_HZ to its true rate%s",
                   (unsigned long long)said, (unsigned long long)measured,
                   measured < said ? "; if that is right, wraps were missed: call "
                                     "kymo_clock_keepalive() more often"
                                   : "");
    return true;
}
