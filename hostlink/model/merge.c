/* SPDX-License-Identifier: MIT */
#include "model/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/names.h"
#include "model/timeline.h"

/* A packet, or the STATUS of the lane at this place. */
struct held {
    struct held *next;
    bool is_status;
    struct lane_status status;
    struct wire_head head;
    struct reader reader; /* at the bytes */
    uint8_t bytes[];
};

struct lane {
    struct held *first, *last;
    uint32_t packets;            /* of those that are held */
    struct wire_head head;       /* of the last packet that came */
    struct wire_decoder decoder; /* of the first */
    struct wire_event event;     /* the next one, if "ready" */
    bool came;                   /* one of the session has */
    bool ready, begun, dropped;  /* begun: the timeline knows of the packet */
    uint64_t reached;            /* ticks of the last event that went on */
};

/* How late packets were against the newest one, at most, by seconds of the board's clock. */
struct late {
    uint64_t second; /* the one that is going on */
    uint64_t ticks, before;
};

struct merge {
    struct timeline *timeline;
    struct lane *lanes[WIRE_LANES]; /* NULL: nothing came of it */
    uint32_t expected, count;       /* lanes that the board has; lanes to look at */
    uint64_t hold_ticks, newest;
    struct late late;
    uint64_t complete; /* so far nothing is missing */
    size_t bytes;      /* that are held */
};

struct merge *merge_new(struct timeline *timeline) {
    struct merge *m = calloc(1, sizeof *m);
    if (m != NULL) {
        m->timeline = timeline;
    }
    return m;
}

static size_t size_of(const struct held *held) { return sizeof *held + held->reader.length; }

static void drop_first(struct merge *m, struct lane *lane) {
    struct held *first = lane->first;
    lane->first = first->next;
    lane->last = lane->first == NULL ? NULL : lane->last;
    lane->begun = false;
    lane->packets -= first->is_status ? 0 : 1;
    m->bytes -= size_of(first);
    free(first);
}

void merge_free(struct merge *m) {
    for (uint32_t i = 0; m != NULL && i < WIRE_LANES; i++) {
        while (m->lanes[i] != NULL && m->lanes[i]->first != NULL) {
            drop_first(m, m->lanes[i]);
        }
        free(m->lanes[i]);
    }
    free(m);
}

void merge_expect(struct merge *m, uint32_t lanes, uint64_t hz) {
    m->expected = lanes < WIRE_LANES ? lanes : WIRE_LANES;
    m->count = m->expected > m->count ? m->expected : m->count;
    m->hold_ticks = hz / MERGE_HOLD_PER_S;
}

void merge_restart(struct merge *m) {
    m->newest = 0;
    m->late = (struct late){0};
    m->complete = 0;
    m->expected = 0;
    for (uint32_t i = 0; i < WIRE_LANES; i++) {
        if (m->lanes[i] != NULL) {
            m->lanes[i]->reached = 0;
            m->lanes[i]->came = false;
        }
    }
}

/* Called when its first event is due, or if it has no event. A repeated or incredible packet is left out. */
static int begin_packet(struct merge *m, struct lane *lane) {
    const struct wire_head *head = &lane->first->head;
    const enum packet_order order = timeline_order(m->timeline, head);
    lane->begun = true;
    lane->dropped = order != PACKET_FOLLOWS && order != PACKET_FIRST;
    if (order == PACKET_INCREDIBLE) {
        timeline_refuse(m->timeline, head);
    }
    return lane->dropped ? 0 : timeline_packet(m->timeline, head);
}

static int end_packet(struct merge *m, struct lane *lane) {
    int result = lane->begun ? 0 : begin_packet(m, lane);
    if (result == 0 && !lane->dropped) {
        timeline_packet_end(m->timeline, &lane->first->head, lane->decoder.decoded, lane->reached);
    }
    drop_first(m, lane);
    return result;
}

/* Goes to the first event of the lane's next packet that has one; everything before it goes on. */
static int next_packet(struct merge *m, uint32_t number) {
    struct lane *lane = m->lanes[number];
    int result = 0;
    while (result == 0 && lane->first != NULL) {
        struct held *first = lane->first;
        if (first->is_status) {
            timeline_status(m->timeline, number, &first->status);
            drop_first(m, lane);
            continue;
        }
        decode_begin(&lane->decoder, &first->reader, &first->head);
        lane->ready = decode_next(&lane->decoder, &lane->event);
        if (lane->ready) {
            return 0;
        }
        result = end_packet(m, lane);
    }
    return result;
}

static void note_late(struct merge *m, uint64_t ticks) {
    const uint64_t hz = m->hold_ticks * MERGE_HOLD_PER_S;
    const uint64_t second = hz != 0 ? m->newest / hz : 0;
    const uint64_t behind = m->newest > ticks ? m->newest - ticks : 0;
    if (second != m->late.second) {
        m->late.before = second == m->late.second + 1 ? m->late.ticks : 0;
        m->late.ticks = 0;
        m->late.second = second;
    }
    if (behind > m->late.ticks && behind <= hz * MERGE_LATE_MAX_S) {
        m->late.ticks = behind;
    }
}

static uint64_t late_by(const struct merge *m) {
    return m->late.ticks > m->late.before ? m->late.ticks : m->late.before;
}

/* The tick that a lane has reached: a lane without events here is waited for, but not for ever. */
static uint64_t reached_by(const struct merge *m, uint32_t number) {
    const struct lane *lane = m->lanes[number];
    const uint64_t hold_ticks = m->hold_ticks + late_by(m);
    uint64_t far = m->newest < hold_ticks ? 0 : m->newest - hold_ticks;
    far = m->complete > far ? m->complete : far;
    if (lane == NULL) {
        return number < m->expected ? far : UINT64_MAX;
    }
    return lane->reached > far ? lane->reached : far;
}

/* At equal times, a send goes before its receive. */
static bool receives(const struct wire_event *event) {
    return event->kind == KYMO_KIND_FLOW_STEP || event->kind == KYMO_KIND_FLOW_RECEIVE ||
           event->kind == KYMO_KIND_ASYNC_END;
}

static bool is_before(const struct lane *lane, const struct lane *other) {
    return lane->event.ticks != other->event.ticks
               ? lane->event.ticks < other->event.ticks
               : receives(&other->event) && !receives(&lane->event);
}

/* The lane that has the next event; *until is how far it may go before the next call. NULL: no lane may go on. */
static struct lane *next_lane(const struct merge *m, bool wait, uint32_t *number, uint64_t *until) {
    struct lane *next = NULL;
    *until = UINT64_MAX;
    for (uint32_t i = 0; i < m->count; i++) {
        struct lane *lane = m->lanes[i];
        uint64_t ticks = UINT64_MAX;
        if (lane == NULL || !lane->ready) {
            ticks = wait ? reached_by(m, i) : UINT64_MAX;
        } else if (next == NULL || is_before(lane, next)) {
            ticks = next != NULL ? next->event.ticks : UINT64_MAX;
            next = lane;
            *number = i;
        } else {
            ticks = lane->event.ticks;
        }
        *until = ticks < *until ? ticks : *until;
    }
    return next != NULL && next->event.ticks <= *until ? next : NULL;
}

/* The events of the packet that has begun, from the one that is ready on, as far as "until". */
static int let_events_go(struct merge *m, struct lane *lane, uint32_t number, uint64_t until) {
    int result = 0;
    do {
        lane->reached = lane->event.ticks;
        result = lane->dropped ? 0 : timeline_wire_event(m->timeline, number, &lane->event);
        if (result != 0) {
            return result;
        }
        lane->ready = decode_next(&lane->decoder, &lane->event);
    } while (lane->ready && lane->event.ticks < until);
    return 0;
}

static int let_go(struct merge *m, struct lane *lane, uint32_t number, uint64_t until) {
    int result = 0;
    do {
        result = lane->begun ? 0 : begin_packet(m, lane);
        result = result != 0 ? result : let_events_go(m, lane, number, until);
        if (result == 0 && !lane->ready) {
            result = end_packet(m, lane);
            result = result != 0 ? result : next_packet(m, number);
        }
    } while (result == 0 && lane->ready && lane->event.ticks < until);
    return result;
}

static bool may_wait(const struct merge *m) {
    return m->hold_ticks != 0 && m->bytes < MERGE_BYTES_MAX;
}

static int release(struct merge *m, bool wait) {
    uint32_t number = 0;
    uint64_t until = 0;
    for (;;) {
        struct lane *lane = next_lane(m, wait && may_wait(m), &number, &until);
        int result = lane != NULL ? let_go(m, lane, number, until) : 0;
        if (lane == NULL || result != 0) {
            return result;
        }
    }
}

int merge_flush(struct merge *m) { return release(m, false); }

int merge_reached(struct merge *m, uint64_t ticks) {
    m->newest = ticks > m->newest ? ticks : m->newest;
    return release(m, true);
}

int merge_complete(struct merge *m, uint64_t ticks) {
    m->complete = ticks > m->complete ? ticks : m->complete;
    return merge_reached(m, ticks);
}

static struct lane *lane_of(struct merge *m, uint32_t number) {
    if (m->lanes[number] == NULL) {
        m->lanes[number] = calloc(1, sizeof *m->lanes[number]);
        m->count = number >= m->count ? number + 1 : m->count;
    }
    return m->lanes[number];
}

static int hold(struct merge *m, struct lane *lane, uint32_t number, struct held *held) {
    bool empty = lane->first == NULL;
    *(empty ? &lane->first : &lane->last->next) = held;
    lane->last = held;
    lane->packets += held->is_status ? 0 : 1;
    m->bytes += size_of(held);
    return empty ? next_packet(m, number) : 0;
}

int merge_put(struct merge *m, const struct wire_head *head, const struct reader *events) {
    size_t length = events->length - events->at;
    struct lane *lane = lane_of(m, head->lane);
    struct held *held = lane == NULL ? NULL : calloc(1, sizeof *held + length);
    if (held == NULL) {
        return -ENOMEM;
    }
    memcpy(held->bytes, events->bytes + events->at, length);
    held->reader = (struct reader){.bytes = held->bytes, .length = length};
    held->head = lane->head = *head;
    lane->came = true;
    note_late(m, head->ticks);
    int result = hold(m, lane, head->lane, held);
    return result != 0 ? result : merge_reached(m, head->ticks);
}

int merge_status(struct merge *m, uint32_t number, const struct lane_status *status) {
    struct lane *lane = m->lanes[number];
    if (lane == NULL || lane->first == NULL) {
        timeline_status(m->timeline, number, status);
        return 0;
    }
    struct held *last = lane->last->is_status ? lane->last : calloc(1, sizeof *last);
    if (last == NULL) {
        return -ENOMEM;
    }
    last->status = *status;
    if (last == lane->last) { /* it replaces the one before */
        return 0;
    }
    last->is_status = true;
    return hold(m, lane, number, last);
}

const struct wire_head *merge_last(const struct merge *m, uint32_t number) {
    const struct lane *lane = m->lanes[number];
    return lane != NULL && lane->came ? &lane->head : NULL;
}

bool merge_holds(const struct merge *m, uint32_t number) {
    return m->lanes[number] != NULL && m->lanes[number]->packets != 0;
}

uint64_t merge_next(const struct merge *m, uint32_t number) {
    const struct held *last = NULL;
    for (const struct held *held = m->lanes[number]->first; held != NULL; held = held->next) {
        last = held->is_status ? last : held;
    }
    struct reader reader = {.bytes = last->bytes, .length = last->reader.length};
    struct wire_decoder decoder;
    struct wire_event event;
    uint64_t next = last->head.first;
    decode_begin(&decoder, &reader, &last->head);
    while (decode_next(&decoder, &event)) {
        next += wire_event_numbers(&event);
    }
    return next;
}
