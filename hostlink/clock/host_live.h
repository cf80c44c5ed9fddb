/* SPDX-License-Identifier: MIT */
/* A board's time on the host's clock as far as it is known now, for events that are shown while
 * more come; host_fit knows it better afterwards. */
#ifndef HOSTLINK_HOST_LIVE_H
#define HOSTLINK_HOST_LIVE_H

#include "clock/host_fit.h"

/* All zero is the start. */
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
