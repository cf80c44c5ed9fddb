/* SPDX-License-Identifier: MIT */
#include "clock/host_fit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)
/* Beyond this number of windows, two become one. */
#define WINDOWS_MAX 4096u
/* Nothing that is called a clock changes its rate by more: 5 %. */
#define DRIFT_PPB_MAX (50 * INT64_C(1000000))
/* Each round of measuring the rate makes the nodes more exact, and so the next one. */
#define RATE_ROUNDS 3
/* No clock comes that far, and sums of a few stay in range. */
#define TIME_MAX (INT64_MAX / 8)

__extension__ typedef __int128 wide;

static int64_t part_of(int64_t ns, int64_t ppb) { return (int64_t)((wide)ns * ppb / NS_PER_S); }

/* The most that the distance between the clocks changes within so many ns. */
static int64_t drift(const struct host_session *s, int64_t ns) {
    return part_of(ns < 0 ? -ns : ns, s->drift_ppb) + 1;
}

static struct host_session *session_of(struct host_fit *fit, uint32_t number) {
    if (number >= fit->count) {
        struct host_session *sessions = realloc(fit->sessions, (number + 1u) * sizeof *sessions);
        if (sessions == NULL) {
            return NULL;
        }
        fit->sessions = sessions;
        while (fit->count <= number) {
            sessions[fit->count++] = (struct host_session){0};
        }
    }
    return &fit->sessions[number];
}

static void add_least(struct host_window *w, int64_t least, int64_t at) {
    if (!w->has_least || least > w->least) {
        w->has_least = true;
        w->least = least;
        w->least_at = at;
    }
}

static void add_most(struct host_window *w, int64_t most, int64_t at) {
    if (!w->has_most || most < w->most) {
        w->has_most = true;
        w->most = most;
        w->most_at = at;
    }
}

static void halve(struct host_session *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        const struct host_window from = s->windows[i];
        struct host_window *to = &s->windows[i / 2];
        if (i % 2 == 0) {
            *to = from;
            continue;
        }
        if (from.has_least) {
            add_least(to, from.least, from.least_at);
        }
        if (from.has_most) {
            add_most(to, from.most, from.most_at);
        }
    }
    s->count = (s->count + 1) / 2;
    s->size_ns *= 2;
}

/* The window of a time, which is not before the first mark of the session. NULL: no memory. */
static struct host_window *window_of(struct host_session *s, int64_t board_ns) {
    while ((board_ns - s->first_ns) / s->size_ns >= (int64_t)WINDOWS_MAX) {
        halve(s);
    }
    const uint32_t at = (uint32_t)((board_ns - s->first_ns) / s->size_ns);
    if (at >= s->capacity) {
        const uint32_t twice = at * 2 + 16;
        const uint32_t capacity = twice < WINDOWS_MAX ? twice : WINDOWS_MAX;
        struct host_window *windows = realloc(s->windows, capacity * sizeof *windows);
        if (windows == NULL) {
            return NULL;
        }
        s->windows = windows;
        s->capacity = capacity;
    }
    while (s->count <= at) {
        s->windows[s->count++] = (struct host_window){0};
    }
    return &s->windows[at];
}

int host_fit_take(struct host_fit *fit, const struct host_mark *mark) {
    if (mark->board_ns < 0 || mark->board_ns > TIME_MAX || mark->host_ns < 0 ||
        mark->host_ns > TIME_MAX) {
        return 0;
    }
    struct host_session *s = session_of(fit, mark->session);
    if (s == NULL) {
        return -ENOMEM;
    }
    if (s->count == 0) {
        s->first_ns = mark->board_ns;
        s->size_ns = fit->window_ns != 0 ? fit->window_ns : NS_PER_S / 4;
    }
    const int64_t at = mark->board_ns > s->first_ns ? mark->board_ns : s->first_ns;
    struct host_window *window = window_of(s, at);
    if (window == NULL) {
        return -ENOMEM;
    }
    fit->unix_ns = fit->known ? fit->unix_ns : mark->unix_ns;
    fit->known = true;
    fit->last_ns = mark->host_ns > fit->last_ns ? mark->host_ns : fit->last_ns;
    fit->tick_ns = mark->tick_ns > fit->tick_ns ? mark->tick_ns : fit->tick_ns;
    s->pinged = s->pinged || mark->asked;
    if (mark->asked) {
        add_least(window, mark->host_ns - mark->board_ns, mark->board_ns);
    } else {
        add_most(window, mark->host_ns - mark->board_ns, mark->board_ns);
    }
    return 0;
}

/* The interval of a window at a node, wider by the drift between them. */
static void tighten(const struct host_session *s, struct host_window *node,
                    const struct host_window *by, int64_t node_ns) {
    if (by->has_least) {
        add_least(node, by->least - drift(s, node_ns - by->least_at), node_ns);
    }
    if (by->has_most) {
        add_most(node, by->most + drift(s, node_ns - by->most_at), node_ns);
    }
}

static struct host_node node_of(const struct host_window *best) {
    if (!best->has_least) { /* it came, after an unknown time */
        return (struct host_node){best->most - HOST_FIT_DELAY_NS / 2, HOST_FIT_DELAY_NS / 2};
    }
    if (!best->has_most) {
        return (struct host_node){best->least + HOST_FIT_DELAY_NS / 2, HOST_FIT_DELAY_NS / 2};
    }
    const int64_t between = best->most - best->least;
    return (struct host_node){best->least + between / 2,
                              (between < 0 ? -between : between) / 2 + 1};
}

static int64_t node_ns(const struct host_session *s, uint32_t node) {
    return s->first_ns + (int64_t)node * s->size_ns;
}

/* Forwards, then backwards: takes the bounds of a node from the windows before and after it. "best" is all zero.
 * Returns false if some contradict each other. */
static bool settle(struct host_session *s, struct host_window *best) {
    bool agree = true;
    for (uint32_t i = 1; i <= s->count; i++) {
        tighten(s, &best[i], &best[i - 1], node_ns(s, i));
        tighten(s, &best[i], &s->windows[i - 1], node_ns(s, i));
    }
    for (uint32_t i = s->count; i-- > 0;) {
        tighten(s, &best[i], &best[i + 1], node_ns(s, i));
        tighten(s, &best[i], &s->windows[i], node_ns(s, i));
    }
    for (uint32_t i = 0; i <= s->count; i++) {
        s->nodes[i] = node_of(&best[i]);
        agree = agree && !(best[i].has_least && best[i].has_most && best[i].most < best[i].least);
    }
    return agree;
}

/* With the least drift from "drift_ppb" on, doubled again and again, that all marks agree with: the clock of a
 * resistor and a capacitor follows the temperature more than a crystal. */
static void settle_with(struct host_session *s, struct host_window *best, int64_t drift_ppb) {
    s->drift_ppb = drift_ppb;
    for (;;) {
        memset(best, 0, (s->count + 1u) * sizeof *best);
        if (settle(s, best) || s->drift_ppb >= DRIFT_PPB_MAX) {
            return;
        }
        s->drift_ppb *= 2;
    }
}

static uint32_t most_exact(const struct host_session *s, uint32_t from, uint32_t to) {
    uint32_t found = from;
    for (uint32_t i = from; i <= to; i++) {
        found = s->nodes[i].bound_ns < s->nodes[found].bound_ns ? i : found;
    }
    return found;
}

/* The mean rate of the distance, by the most exact times of its first and of its last quarter: the
 * rest of each mark is then nearly the same for all. Returns how far the rate may be from that; as
 * much as now, if it is not known better. */
static int64_t take_out_rate(struct host_session *s) {
    const uint32_t a = most_exact(s, 0, s->count / 4);
    const uint32_t b = most_exact(s, s->count - s->count / 4, s->count);
    const struct host_node *from = &s->nodes[a], *to = &s->nodes[b];
    const int64_t apart = node_ns(s, b) - node_ns(s, a);
    if (!s->pinged || apart <= 0) {
        return s->drift_ppb;
    }
    const int64_t unsure = (int64_t)((wide)(from->bound_ns + to->bound_ns) * NS_PER_S / apart);
    const int64_t wander = HOST_FIT_WANDER_PPM * INT64_C(1000) + unsure;
    const int64_t rate = (int64_t)((wide)(to->offset_ns - from->offset_ns) * NS_PER_S / apart);
    if (wander >= s->drift_ppb) {
        return s->drift_ppb;
    }
    s->rate_ppb += rate;
    for (uint32_t i = 0; i < s->count; i++) {
        struct host_window *w = &s->windows[i];
        w->least -= w->has_least ? part_of(w->least_at - s->first_ns, rate) : 0;
        w->most -= w->has_most ? part_of(w->most_at - s->first_ns, rate) : 0;
    }
    return wander;
}

/* Time goes on at least as slowly as the rates allow, whatever the marks say. */
static void smooth(struct host_session *s) {
    for (uint32_t i = 1; i <= s->count; i++) {
        const int64_t least = s->nodes[i - 1].offset_ns - s->size_ns / 10;
        if (s->nodes[i].offset_ns < least) {
            s->nodes[i].bound_ns += least - s->nodes[i].offset_ns;
            s->nodes[i].offset_ns = least;
        }
    }
}

/* The windows are no longer needed then. */
static int settle_session(struct host_session *s) {
    struct host_window *best = calloc(s->count + 1u, sizeof *best);
    s->nodes = calloc(s->count + 1u, sizeof *s->nodes);
    if (best == NULL || s->nodes == NULL) {
        free(best);
        return -ENOMEM;
    }
    settle_with(s, best, HOST_FIT_PPM * INT64_C(1000));
    for (unsigned round = 0; round < RATE_ROUNDS; round++) {
        const int64_t drift_ppb = take_out_rate(s);
        if (drift_ppb >= s->drift_ppb) {
            break;
        }
        settle_with(s, best, drift_ppb);
    }
    free(best);
    free(s->windows);
    s->windows = NULL;
    smooth(s);
    return 0;
}

int host_fit_settle(struct host_fit *fit) {
    int error = 0;
    for (uint32_t i = 0; i < fit->count && error == 0; i++) {
        error = fit->sessions[i].count != 0 ? settle_session(&fit->sessions[i]) : 0;
    }
    return error;
}

/* The session's, or that of the one before it that has marks; or after it. */
static const struct host_session *nearest(const struct host_fit *fit, uint32_t session) {
    uint32_t at = session < fit->count ? session : fit->count - 1;
    while (at > 0 && fit->sessions[at].count == 0) {
        at--;
    }
    while (fit->sessions[at].count == 0) {
        at++;
    }
    return &fit->sessions[at];
}

int64_t host_fit_ns(const struct host_fit *fit, uint32_t session, int64_t board_ns,
                    int64_t *bound_ns) {
    const struct host_session *s = nearest(fit, session);
    const int64_t since = board_ns - s->first_ns;
    const int64_t end = (int64_t)s->count * s->size_ns;
    const int64_t within = since < 0 ? 0 : since > end ? end : since;
    uint32_t at = (uint32_t)(within / s->size_ns);
    at = at < s->count ? at : s->count - 1;
    const struct host_node *a = &s->nodes[at], *b = a + 1;
    const int64_t part = within - (int64_t)at * s->size_ns;
    const int64_t more = (int64_t)((wide)(b->offset_ns - a->offset_ns) * part / s->size_ns);
    const int64_t at_ns = board_ns + a->offset_ns + more + part_of(since, s->rate_ppb);
    if (bound_ns != NULL) {
        const int64_t bound = a->bound_ns > b->bound_ns ? a->bound_ns : b->bound_ns;
        *bound_ns = bound + drift(s, since - within) + drift(s, s->size_ns / 2) + fit->tick_ns;
        if (session >= fit->count || s != &fit->sessions[session]) {
            *bound_ns += HOST_FIT_DELAY_NS + (fit->last_ns > at_ns ? fit->last_ns - at_ns : 0);
        }
    }
    return at_ns;
}

int64_t host_fit_bound(const struct host_fit *fit, bool *pinged) {
    int64_t most = 0;
    *pinged = fit->known;
    for (uint32_t i = 0; i < fit->count; i++) {
        const struct host_session *s = &fit->sessions[i];
        *pinged = *pinged && (s->count == 0 || s->pinged);
        for (uint32_t k = 0; s->count != 0 && k < s->count; k++) {
            int64_t bound;
            (void)host_fit_ns(fit, i, s->first_ns + (int64_t)k * s->size_ns, &bound);
            most = bound > most ? bound : most;
        }
    }
    return most;
}

void host_fit_free(struct host_fit *fit) {
    for (uint32_t i = 0; i < fit->count; i++) {
        free(fit->sessions[i].windows);
        free(fit->sessions[i].nodes);
    }
    free(fit->sessions);
    *fit = (struct host_fit){0};
}

/* ---- while more come ---- */

static int64_t most_drift(int64_t ns) { return (ns < 0 ? -ns : ns) / 1000000 * HOST_FIT_PPM + 1; }

bool host_live_knows(const struct host_live *live, uint32_t session) {
    return live->known && live->session == session;
}

void host_live_take(struct host_live *live, const struct host_mark *mark) {
    if (!host_live_knows(live, mark->session)) {
        *live = (struct host_live){.known = true, .session = mark->session};
    }
    struct host_window *w = &live->tightest;
    const int64_t offset = mark->host_ns - mark->board_ns, at = mark->board_ns;
    if (mark->asked && (!w->has_least || offset > w->least - most_drift(at - w->least_at))) {
        w->has_least = true;
        w->least = offset;
        w->least_at = at;
    } else if (!mark->asked && (!w->has_most || offset < w->most + most_drift(at - w->most_at))) {
        w->has_most = true;
        w->most = offset;
        w->most_at = at;
    }
}

int64_t host_live_ns(const struct host_live *live, int64_t board_ns, int64_t *bound_ns) {
    const struct host_window *w = &live->tightest;
    const int64_t least = w->least - most_drift(board_ns - w->least_at);
    const int64_t most = w->most + most_drift(board_ns - w->most_at);
    *bound_ns = HOST_FIT_DELAY_NS;
    if (!w->has_least || !w->has_most) {
        return board_ns + (w->has_most ? w->most : w->least);
    }
    *bound_ns = (most > least ? most - least : least - most) / 2 + 1;
    return board_ns + least + (most - least) / 2;
}
