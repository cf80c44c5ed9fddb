/* SPDX-License-Identifier: MIT */
/* A board's time on the host's clock, and the bound of its error.
 *
 * A ping is read no earlier than it left, and a packet left the board no later than it came: each such pair of times
 * bounds the distance between the two clocks from one side. Rates differ by at most HOST_FIT_PPM, and within a
 * session by HOST_FIT_WANDER_PPM from their mean, so a bound holds, a bit wider, also before and
 * after its time. Where pairs show that the rate changes more, more is assumed. The result is the
 * middle between the tightest bounds, and half their distance is the bound of the error. */
#ifndef HOSTLINK_HOST_FIT_H
#define HOSTLINK_HOST_FIT_H

#include <stdbool.h>
#include <stdint.h>

/* Two oscillators of 100 ppm each. */
#define HOST_FIT_PPM 200
/* Change by temperature within a session. */
#define HOST_FIT_WANDER_PPM 10
/* The assumed delay of a line without pings. */
#define HOST_FIT_DELAY_NS INT64_C(120000000)

/* One pair of times. */
struct host_mark {
    uint32_t session; /* from 0 */
    bool
        asked; /* a ping left at host_ns, and was read at board_ns; else a packet of board_ns came by host_ns */
    int64_t board_ns; /* on the board's timeline */
    int64_t host_ns;  /* monotonic */
    int64_t unix_ns;  /* of the host's monotonic 0 */
    int64_t tick_ns;  /* of the board's clock, which an event's time is a whole number of; or 0 */
};

/* Distances host - board, of a piece of the board's time. */
struct host_window {
    bool has_least, has_most;
    int64_t least, least_at, most, most_at;
};

/* At the begin of a window. */
struct host_node {
    int64_t offset_ns, bound_ns;
};

struct host_session {
    int64_t first_ns, size_ns;   /* of the first window; of each */
    int64_t rate_ppb, drift_ppb; /* of the distance: its mean, and how far from that it may be */
    struct host_window *windows;
    struct host_node *nodes; /* one more than windows */
    uint32_t count, capacity;
    bool pinged;
};

/* All zero is empty. */
struct host_fit {
    int64_t window_ns; /* of the first windows; 0: a quarter of a second, about one ping */
    struct host_session *sessions;
    uint32_t count;
    int64_t unix_ns; /* of the first mark */
    int64_t last_ns; /* of the host, at the latest mark */
    int64_t tick_ns; /* of the slowest clock */
    bool known;
};

/* 0 or -ENOMEM. */
int host_fit_take(struct host_fit *fit, const struct host_mark *mark);
/* After the last one. 0 or -ENOMEM. */
int host_fit_settle(struct host_fit *fit);
/* The host's monotonic time, never going back within a session; *bound_ns: of its error, may be NULL. Only for a fit
 * that is known. A session without marks, as of a board that is reset again at once, follows the one before it; how
 * long that took nobody knows, but it was before the latest mark. */
int64_t host_fit_ns(const struct host_fit *fit, uint32_t session, int64_t board_ns,
                    int64_t *bound_ns);
/* The greatest bound within its marks. *pinged: the bound from pings alone, in all sessions. */
int64_t host_fit_bound(const struct host_fit *fit, bool *pinged);
void host_fit_free(struct host_fit *fit);

/* The same as far as it is known now, for events that are shown while more come. All zero is the start. */
struct host_live {
    bool known; /* something of the session */
    uint32_t session;
    struct host_window tightest;
};

/* An unknown session begins with this mark, which may be a guess. */
void host_live_take(struct host_live *live, const struct host_mark *mark);
/* Is anything known of the session? */
bool host_live_knows(const struct host_live *live, uint32_t session);
/* The host's monotonic time. *bound_ns: of its error. Only if it is known. */
int64_t host_live_ns(const struct host_live *live, int64_t board_ns, int64_t *bound_ns);

#endif
