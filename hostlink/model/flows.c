/* SPDX-License-Identifier: MIT */
#include "model/flows.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/timeline_rows.h"

/* Beyond this number the flow that was opened first is forgotten. */
#define FLOWS_MAX 65536u

void flows_free(struct flows *flows) {
    for (uint32_t i = 0; i < flows->set_count; i++) {
        free(flows->sets[i].rows);
    }
    intmap_free(&flows->numbers);
    liveset_free(&flows->places);
    free(flows->sets);
    free(flows->open);
    *flows = (struct flows){.number = flows->number};
}

/* Its number + 1; 0: no memory. */
static uint32_t set_of(struct flows *flows, const struct event *event) {
    /* Equal names are one text. */
    const uint64_t key = (uint64_t)(uintptr_t)event->site->name << 1 | event_is_async(event->kind);
    const uint32_t number = intmap_get(&flows->numbers, key);
    if (number != 0) {
        return number;
    }
    if (!grow(&flows->sets, &flows->set_capacity, flows->set_count, sizeof *flows->sets)) {
        return 0;
    }
    if (intmap_add(&flows->numbers, key, flows->set_count + 1) != 0) {
        return 0;
    }
    flows->sets[flows->set_count] = (struct flow_set){0};
    return ++flows->set_count;
}

/* The lowest one that no open zone has, so that there are as few rows as possible. */
static bool take_row(struct flow_set *set, uint32_t *row) {
    uint32_t at = 0;
    while (at < set->row_words && set->rows[at] == UINT64_MAX) {
        at++;
    }
    if (at == set->row_words) {
        const uint32_t words = set->row_words * 2 + 1;
        uint64_t *rows = realloc(set->rows, words * sizeof *rows);
        if (rows == NULL) {
            return false;
        }
        for (uint32_t i = at; i < words; i++) {
            rows[i] = 0;
        }
        set->rows = rows;
        set->row_words = words;
    }
    const unsigned bit = (unsigned)__builtin_ctzll(~set->rows[at]);
    set->rows[at] |= UINT64_C(1) << bit;
    *row = at * 64u + bit;
    return true;
}

static void release(struct flows *flows, struct open_flow *flow) {
    if (flow->is_async) {
        flows->sets[flow->set].rows[flow->row / 64u] &= ~(UINT64_C(1) << flow->row % 64u);
    }
    flow->site = NULL;
    flow->next = flows->free;
    flows->free = (uint32_t)(flow - flows->open) + 1;
}

/* The clocks of two contexts may differ by a little: nothing ends before it began. "lane" is the event's. */
static void describe(const struct timeline *t, const struct open_flow *flow, uint32_t lane,
                     struct event *event) {
    event->time_ns = event->time_ns > flow->start_ns ? event->time_ns : flow->start_ns;
    event->u.flow.number = flow->number;
    event->u.flow.start_ns = flow->start_ns;
    event->u.flow.row = flow->row;
    event->u.flow.bound_ns =
        flow->lane != lane ? timeline_clock_error(t, flow->lane) + timeline_clock_error(t, lane)
                           : 0;
}

/* It ends without an event of the board. */
static int close_flow(struct timeline *t, struct track_state *state, struct open_flow *flow,
                      int64_t time_ns, enum flow_repair why) {
    struct event event = {.kind = EVENT_ASYNC_END, .time_ns = time_ns, .site = flow->site};
    describe(t, flow, flow->lane, &event);
    event.u.flow.id = flow->id;
    event.u.flow.repaired = (uint8_t)why;
    t->counts.repairs++;
    const bool shown = flow->is_async;
    release(&t->flows, flow);
    return shown ? timeline_send(t, state, &event) : 0;
}

/* A place for one more. NULL: no memory. */
static struct open_flow *take_place(struct timeline *t, struct track_state *state, int64_t time_ns,
                                    int *result) {
    struct flows *flows = &t->flows;
    if (flows->free == 0 && flows->count == FLOWS_MAX) {
        struct open_flow *oldest = &flows->open[flows->oldest++ % FLOWS_MAX];
        (void)liveset_remove(&flows->places, oldest->set, oldest->id);
        *result = close_flow(t, state, oldest, time_ns, FLOW_TOO_MANY);
    }
    if (flows->free != 0) {
        struct open_flow *flow = &flows->open[flows->free - 1];
        flows->free = flow->next;
        return flow;
    }
    if (!grow(&flows->open, &flows->capacity, flows->count, sizeof *flows->open)) {
        return NULL;
    }
    return &flows->open[flows->count++];
}

static int open_flow(struct timeline *t, struct track_state *state, struct event *event,
                     uint32_t set) {
    struct flows *flows = &t->flows;
    int result = 0;
    struct open_flow *flow = take_place(t, state, event->time_ns, &result);
    if (flow == NULL || result != 0) {
        return result != 0 ? result : -ENOMEM;
    }
    *flow = (struct open_flow){.site = event->site,
                               .id = event->u.flow.id,
                               .number = ++flows->number,
                               .lane = state->lane,
                               .set = set};
    const bool is_async = event_is_async(event->kind);
    const uint32_t place = (uint32_t)(flow - flows->open) + 1;
    flow->is_async = is_async && take_row(&flows->sets[set], &flow->row);
    if (flow->is_async != is_async || !liveset_add(&flows->places, set, flow->id, place)) {
        release(flows, flow); /* it has not begun, so that it does not end */
        return -ENOMEM;
    }
    describe(t, flow, state->lane, event);
    event->u.flow.start_ns = event->time_ns;
    event->u.flow.bound_ns = timeline_clock_error(t, state->lane);
    result = timeline_send(t, state, event);
    flow->start_ns = event->time_ns;
    return result;
}

/* Nothing is open with that id: its start may have been lost, or be from before the capture. */
static int without_start(struct timeline *t, struct track_state *state, struct event *event) {
    t->counts.repairs++;
    if (event->kind != EVENT_ASYNC_END) {
        event->u.flow.repaired = FLOW_NOT_SENT;
        event->u.flow.bound_ns = timeline_clock_error(t, state->lane);
        return timeline_send(t, state, event);
    }
    struct event repair = {.kind = EVENT_REPAIR, .time_ns = event->time_ns, .site = event->site};
    repair.u.repair = REPAIR_ASYNC_WITHOUT_BEGIN;
    return t->zones.lossy ? 0 : timeline_send(t, state, &repair);
}

static int go_on(struct timeline *t, struct track_state *state, struct event *event,
                 struct open_flow *flow) {
    struct flows *flows = &t->flows;
    describe(t, flow, state->lane, event);
    if (event->kind != EVENT_FLOW_STEP) {
        t->counts.short_flows += !event_is_async(event->kind) && event_flow_is_short(event);
        release(flows, flow);
    } else if (!liveset_add(&flows->places, flow->set, flow->id,
                            (uint64_t)(flow - flows->open) + 1)) {
        return -ENOMEM;
    }
    return timeline_send(t, state, event);
}

int flows_event(struct timeline *t, struct track_state *state, struct event *event) {
    struct flows *flows = &t->flows;
    const bool is_async = event_is_async(event->kind);
    if (!event->site
             ->known) { /* its events are those of several sites: which belong together is not known */
        return is_async ? 0 : timeline_send(t, state, event);
    }
    const uint32_t set = set_of(flows, event);
    if (set == 0) {
        return -ENOMEM;
    }
    const uint64_t place = liveset_remove(&flows->places, set - 1, event->u.flow.id);
    struct open_flow *flow = place != 0 ? &flows->open[place - 1] : NULL;
    if (event->kind != EVENT_FLOW_SEND && event->kind != EVENT_ASYNC_BEGIN) {
        return flow != NULL ? go_on(t, state, event, flow) : without_start(t, state, event);
    }
    int result = 0;
    if (flow != NULL) {
        result = close_flow(t, state, flow, event->time_ns, FLOW_BEGAN_AGAIN);
        event->u.flow.repaired = is_async ? FLOW_WHOLE : FLOW_SENT_AGAIN;
    }
    return result != 0 ? result : open_flow(t, state, event, set - 1);
}

int flows_end(struct timeline *t) {
    struct flows *flows = &t->flows;
    int result = 0;
    for (uint32_t i = 0; i < flows->count && result == 0; i++) {
        struct open_flow *flow = &flows->open[i];
        if (flow->site != NULL && flow->is_async) {
            result =
                close_flow(t, t->lanes[flow->lane].current, flow, t->counts.last_ns, FLOW_END_OPEN);
        }
    }
    flows_free(flows);
    return result;
}
