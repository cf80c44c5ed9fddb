#include "trace/clock_watch.h"

#include <stdio.h>

#include "kymo/wire.h"
#include "trace/decode.h"

/* A ping that was answered later than this says nothing about the rate; nor does one that comes
 * from beyond the host's clock, which is written down every 20 ms. */
#define PING_NS_MAX UINT64_C(500000000)
#define STAMP_NS_MAX UINT64_C(20000000)
/* A board's clock may differ from the host's by this much before it is said: emulators stretch
 * time, and short captures measure badly. */
#define TOLERANCE_PERCENT 20u
#define RATE_CHECK_NS UINT64_C(5000000000)
/* A clock that shows the same at both ends of such a time counts nothing. */
#define STAND_CHECK_NS UINT64_C(1000000000)

void clock_watch_frame(struct clockfit *clock, const uint8_t *frame, size_t length,
                       uint64_t host_ns) {
    struct reader r = {.bytes = frame, .length = length};
    uint64_t asked_ns = 0;
    uint8_t type = read_u8(&r) & KYMO_WIRE_TYPE_MASK;
    (void)read_u8(&r); /* sequence number */
    if (type == KYMO_FRAME_PONG) {
        asked_ns = read_u64(&r);
    } else if (type == KYMO_FRAME_SESSION) {
        (void)read_u32(&r);
        (void)read_varint(&r);
    } else if (type == KYMO_FRAME_STATUS) {
        (void)read_u8(&r);
    } else {
        return;
    }
    uint64_t ticks = read_varint(&r);
    if (r.bad) {
        return;
    }
    if (type != KYMO_FRAME_PONG) {
        clock_rate_heard(&clock->rate, host_ns, ticks);
    } else if (asked_ns <= host_ns + STAMP_NS_MAX &&
               host_ns - asked_ns + STAMP_NS_MAX <= PING_NS_MAX) {
        clock_rate_asked(&clock->rate, asked_ns, ticks);
    }
    clockfit_steer(clock);
}

bool clock_watch_warns(const struct clockfit *clock, char text[CLOCK_WATCH_TEXT]) {
    uint64_t measured = clock_rate_hz(&clock->rate), said = clock->board_hz;
    uint64_t span_ns = clock_rate_span_ns(&clock->rate);
    if (measured == 0 && span_ns >= STAND_CHECK_NS) {
        (void)snprintf(text, CLOCK_WATCH_TEXT,
                       "the board's clock stands still: no time here means anything; choose "
                       "another clock in its arch port");
        return true;
    }
    if (measured == 0 || said == 0 || span_ns < RATE_CHECK_NS) {
        return false;
    }
    uint64_t difference = measured > said ? measured - said : said - measured;
    if (difference / (said / 100 + 1) <= TOLERANCE_PERCENT) {
        return false;
    }
    (void)snprintf(text, CLOCK_WATCH_TEXT,
                   "the board says that its clock runs at %llu Hz; against the host's it runs at "
                   "about %llu Hz",
                   (unsigned long long)said, (unsigned long long)measured);
    return true;
}
