/* SPDX-License-Identifier: MIT */
#include "clock/clock_rate.h"

#define NS_PER_S UINT64_C(1000000000)
#define SPAN_NS_MIN (NS_PER_S / 2)
#define ASKED_MIN 4u
/* Pings are some milliseconds beside the truth, other packets some tens, as the host's clock is
 * written down every 20 ms: so long they must be apart for 1 %. */
#define SETTLED_ASKED_NS (NS_PER_S * 7 / 10)
#define SETTLED_HEARD_NS (NS_PER_S * 3)
/* No clock comes that far, and products of differences stay within 127 bits. */
#define CLOCK_MAX (UINT64_C(1) << 62)

__extension__ typedef __int128 wide;

/* A line through two pairs that has all others on the side to which delay moves them. */
struct line {
    struct clock_pair from, to;
};

/* The pairs that are kept, in the order of time. */
struct list {
    struct clock_pair pair[2 * CLOCK_RATE_ENDS];
    size_t count;
    int side; /* 1: delay makes host_ns greater; -1: smaller */
};

void clock_rate_restart(struct clock_rate *rate) { *rate = (struct clock_rate){0}; }

static const struct clock_pair *latest(const struct clock_pairs *pairs) {
    return &pairs->last[(pairs->count - 1) % CLOCK_RATE_ENDS];
}

static void add(struct clock_pairs *pairs, uint64_t host_ns, uint64_t ticks) {
    if (host_ns > CLOCK_MAX || ticks > CLOCK_MAX) {
        return;
    }
    if (pairs->count > 0 && (host_ns < latest(pairs)->host_ns || ticks < latest(pairs)->ticks)) {
        pairs->count = 0; /* one of the clocks was set back */
    }
    const struct clock_pair pair = {host_ns, ticks};
    if (pairs->count < CLOCK_RATE_ENDS) {
        pairs->first[pairs->count] = pair;
    }
    pairs->last[pairs->count++ % CLOCK_RATE_ENDS] = pair;
}

void clock_rate_heard(struct clock_rate *rate, uint64_t host_ns, uint64_t ticks) {
    add(&rate->heard, host_ns, ticks);
}

void clock_rate_asked(struct clock_rate *rate, uint64_t host_ns, uint64_t ticks) {
    add(&rate->asked, host_ns, ticks);
}

static void list_pairs(struct list *list, const struct clock_pairs *pairs, int side) {
    uint64_t count = pairs->count;
    list->side = side;
    list->count = count < 2 * CLOCK_RATE_ENDS ? (size_t)count : 2 * CLOCK_RATE_ENDS;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t from_end = list->count - i;
        list->pair[i] = i < CLOCK_RATE_ENDS ? pairs->first[i]
                                            : pairs->last[(count - from_end) % CLOCK_RATE_ENDS];
    }
}

static bool bounds_all(const struct list *list, const struct clock_pair *a,
                       const struct clock_pair *b) {
    wide run = (wide)b->ticks - (wide)a->ticks, rise = (wide)b->host_ns - (wide)a->host_ns;
    for (size_t i = 0; i < list->count; i++) {
        const struct clock_pair *p = &list->pair[i];
        wide above =
            ((wide)p->host_ns - (wide)a->host_ns) * run - ((wide)p->ticks - (wide)a->ticks) * rise;
        if (list->side > 0 ? above < 0 : above > 0) {
            return false;
        }
    }
    return true;
}

/* Finds, of all lines that have the pairs on one side, the one nearest to them: it spans their
 * middle (Moon, Skelly, Towsley: Estimation and removal of clock skew from network delay
 * measurements, INFOCOM 1999). */
static bool nearest_line(const struct list *list, struct line *line) {
    wide sum = 0;
    for (size_t i = 0; i < list->count; i++) {
        sum += (wide)list->pair[i].ticks;
    }
    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = i + 1; j < list->count; j++) {
            const struct clock_pair *a = &list->pair[i], *b = &list->pair[j];
            bool middle = (wide)a->ticks * (wide)list->count <= sum &&
                          (wide)b->ticks * (wide)list->count >= sum;
            if (middle && b->ticks > a->ticks && b->host_ns > a->host_ns &&
                bounds_all(list, a, b)) {
                *line = (struct line){*a, *b};
                return true;
            }
        }
    }
    return false;
}

static uint64_t span_of(const struct clock_pairs *pairs) {
    return pairs->count == 0 ? 0 : latest(pairs)->host_ns - pairs->first[0].host_ns;
}

static bool prefers_asked(const struct clock_rate *rate) {
    return rate->asked.count >= ASKED_MIN && span_of(&rate->asked) >= SPAN_NS_MIN;
}

uint64_t clock_rate_span_ns(const struct clock_rate *rate) {
    return span_of(prefers_asked(rate) ? &rate->asked : &rate->heard);
}

bool clock_rate_stands(const struct clock_rate *rate) {
    const struct clock_pairs *pairs = prefers_asked(rate) ? &rate->asked : &rate->heard;
    return pairs->count > 0 && latest(pairs)->ticks == pairs->first[0].ticks;
}

uint64_t clock_rate_hz(const struct clock_rate *rate) {
    struct list list;
    struct line line;
    list_pairs(&list, prefers_asked(rate) ? &rate->asked : &rate->heard,
               prefers_asked(rate) ? -1 : 1);
    if (clock_rate_span_ns(rate) < SPAN_NS_MIN || !nearest_line(&list, &line)) {
        return 0;
    }
    wide hz = ((wide)line.to.ticks - (wide)line.from.ticks) * (wide)NS_PER_S /
              ((wide)line.to.host_ns - (wide)line.from.host_ns);
    return hz > (wide)CLOCK_MAX ? 0 : (uint64_t)hz;
}

bool clock_rate_is_even(const struct clock_rate *rate, uint64_t hz) {
    struct list list;
    size_t near = 0;
    list_pairs(&list, prefers_asked(rate) ? &rate->asked : &rate->heard, 1);
    for (size_t i = 1; i < list.count; i++) {
        const struct clock_pair *from = &list.pair[i - 1], *to = &list.pair[i];
        const wide is = ((wide)to->ticks - (wide)from->ticks) * (wide)NS_PER_S;
        const wide expected = ((wide)to->host_ns - (wide)from->host_ns) * (wide)hz;
        near += is <= 2 * expected && expected <= 2 * is;
    }
    return list.count > 1 && 2 * near > list.count - 1;
}

bool clock_rate_settled(const struct clock_rate *rate) {
    uint64_t span_ns = clock_rate_span_ns(rate);
    return span_ns >= (prefers_asked(rate) ? SETTLED_ASKED_NS : SETTLED_HEARD_NS);
}
