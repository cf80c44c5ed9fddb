/* SPDX-License-Identifier: MIT */
#include "clock/host_live.h"

static int64_t drift(int64_t ns) { return (ns < 0 ? -ns : ns) / 1000000 * HOST_FIT_PPM + 1; }

bool host_live_knows(const struct host_live *live, uint32_t session) {
    return live->known && live->session == session;
}

void host_live_take(struct host_live *live, const struct host_mark *mark) {
    if (!host_live_knows(live, mark->session)) {
        *live = (struct host_live){.known = true, .session = mark->session};
    }
    struct host_window *w = &live->tightest;
    const int64_t offset = mark->host_ns - mark->board_ns, at = mark->board_ns;
    if (mark->asked && (!w->has_least || offset > w->least - drift(at - w->least_at))) {
        w->has_least = true;
        w->least = offset;
        w->least_at = at;
    } else if (!mark->asked && (!w->has_most || offset < w->most + drift(at - w->most_at))) {
        w->has_most = true;
        w->most = offset;
        w->most_at = at;
    }
}

int64_t host_live_ns(const struct host_live *live, int64_t board_ns, int64_t *bound_ns) {
    const struct host_window *w = &live->tightest;
    const int64_t least = w->least - drift(board_ns - w->least_at);
    const int64_t most = w->most + drift(board_ns - w->most_at);
    *bound_ns = HOST_FIT_DELAY_NS;
    if (!w->has_least || !w->has_most) {
        return board_ns + (w->has_most ? w->most : w->least);
    }
    *bound_ns = (most > least ? most - least : least - most) / 2 + 1;
    return board_ns + least + (most - least) / 2;
}
