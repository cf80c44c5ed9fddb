/* SPDX-License-Identifier: MIT */
#include "sink/cut.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

/* A row's state when the part begins: its last event of each kind before it. */
enum { STATE_SWITCH, STATE_TASK, STATE_PERIOD, STATES };

struct cut_row {
    bool *taken; /* for each open zone, the outermost first */
    uint32_t depth, capacity, core;
    bool shown; /* its EVENT_TRACK is handed on */
    bool held[STATES];
    struct event states[STATES]; /* where "held" */
};

static int hand_on(struct cut *cut, const struct event *event) {
    return cut->to.event(cut->to.state, event);
}

static struct cut_row *row_of(struct cut *cut, uint32_t id) {
    if (!grow_zeroed(&cut->rows, &cut->row_count, id, sizeof *cut->rows)) {
        return NULL;
    }
    return &cut->rows[id];
}

/* ---- where a part begins ---- */

static int64_t not_before(const struct cut *cut, int64_t time_ns) {
    const struct selection_end *from = &cut->part->from;
    return from->is != SELECTION_NONE && time_ns < from->time_ns ? from->time_ns : time_ns;
}

static int show(struct cut *cut, struct cut_row *row, const struct event *event) {
    const struct event track = {
        .kind = EVENT_TRACK, .time_ns = not_before(cut, event->time_ns), .track = event->track};
    const bool fresh = !row->shown;
    row->shown = true;
    return fresh ? hand_on(cut, &track) : 0;
}

/* The states that last into the part. */
static int begin_row(struct cut *cut, struct cut_row *row) {
    int error = 0;
    for (unsigned i = 0; i < STATES && error == 0; i++) {
        struct event *state = &row->states[i];
        if (row->held[i]) {
            row->held[i] = false;
            state->time_ns = not_before(cut, state->time_ns);
            error = show(cut, row, state);
            error = error ? error : hand_on(cut, state);
        }
    }
    return error;
}

/* A core runs one row: the last of its switches counts. */
static void hold(struct cut *cut, struct cut_row *row, unsigned which, const struct event *event) {
    uint32_t *running = &cut->running[event->track->core];
    if (which == STATE_SWITCH) {
        cut->rows[*running].held[STATE_SWITCH] = false;
        *running = event->track->id;
    }
    row->held[which] = true;
    row->states[which] = *event;
    row->states[which].stack = NULL;
}

/* The rows of a core begin with the first of its events in the part, whichever row it is of. */
static int begin_core(struct cut *cut, uint32_t core) {
    int error = 0;
    for (uint32_t i = 0; i < cut->row_count && error == 0; i++) {
        const struct cut_row *row = &cut->rows[i];
        error = row->core == core ? begin_row(cut, &cut->rows[i]) : 0;
    }
    cut->begun[core] = true;
    return error;
}

static int take(struct cut *cut, struct cut_row *row, const struct event *event) {
    const bool alone = row->core >= BOARD_INFO_LANES; /* of a device */
    int error = alone || cut->begun[row->core] ? begin_row(cut, row) : begin_core(cut, row->core);
    error = error ? error : show(cut, row, event);
    return error ? error : hand_on(cut, event);
}

/* ---- events of the part ---- */

static bool is_inside(const struct cut *cut, int64_t time_ns) {
    return time_ns == not_before(cut, time_ns) && !selection_is_over(cut->part, time_ns);
}

/* For events that are selected by their begin. */
static bool takes_from(struct cut *cut, const struct event *event, int64_t start_ns) {
    struct event begun = *event;
    begun.time_ns = start_ns;
    return selection_takes(cut->part, &begun);
}

static int open_zone(struct cut *cut, struct cut_row *row, const struct event *event) {
    if (!grow(&row->taken, &row->capacity, row->depth, sizeof *row->taken)) {
        return -ENOMEM;
    }
    const bool taken = takes_from(cut, event, event->time_ns);
    row->taken[row->depth++] = taken;
    return taken ? take(cut, row, event) : 0;
}

static bool is_in_taken_zone(const struct cut_row *row) {
    return row->depth > 0 && row->taken[row->depth - 1];
}

static int end_zone(struct cut *cut, struct cut_row *row, const struct event *event) {
    const bool taken = is_in_taken_zone(row);
    row->depth -= row->depth > 0;
    return taken ? take(cut, row, event) : 0;
}

/* A wait that began before the part does not belong to it. */
static int take_hold(struct cut *cut, struct cut_row *row, const struct event *event) {
    struct event taken = *event;
    const bool takes = event_hold(event->kind) == EVENT_TAKES;
    if (!takes_from(cut, event,
                    event_hold(event->kind) == EVENT_GIVES ? event->u.hold.start_ns
                                                           : event->time_ns)) {
        return 0;
    }
    if (takes && event->u.hold.waited && !is_inside(cut, event->u.hold.start_ns)) {
        taken.u.hold.waited = false;
        taken.u.hold.start_ns = event->time_ns;
    }
    return take(cut, row, &taken);
}

/* Equal names are one text. */
static int take_frame(struct cut *cut, struct cut_row *row, const struct event *event) {
    const uintptr_t set = (uintptr_t)event->site->name;
    uint32_t number = intmap_get(&cut->frames, set);
    if (number == 0) {
        bool *open = realloc(cut->frame_open, cut->frame_count + 1u);
        if (!open) {
            return -ENOMEM;
        }
        cut->frame_open = open;
        open[cut->frame_count++] = false;
        number = cut->frame_count;
        if (intmap_add(&cut->frames, set, number) != 0) {
            return -ENOMEM;
        }
    }
    bool *open = &cut->frame_open[number - 1];
    const bool ends = event->kind == EVENT_FRAME_END;
    const bool taken = ends ? *open : takes_from(cut, event, event->time_ns);
    *open = event->kind == EVENT_FRAME_START && taken;
    return taken ? take(cut, row, event) : 0;
}

static int take_memory(struct cut *cut, struct cut_row *row, const struct event *event) {
    const uint32_t pool = event->site->pool;
    const bool allocates = event->kind == EVENT_ALLOC;
    struct liveset *live = &cut->live[event_board_number(event->track->board)];
    const bool taken = allocates ? takes_from(cut, event, event->time_ns)
                                 : liveset_remove(live, pool, event->u.memory.address) != 0 &&
                                       !selection_is_over(cut->part, event->time_ns);
    if (allocates && taken) {
        (void)liveset_add(live, pool, event->u.memory.address, 1);
    }
    return taken ? take(cut, row, event) : 0;
}

/* Events that structure the timeline: before the part, keeps the last state of each row; after it, drops them. */
static int take_structure(struct cut *cut, struct cut_row *row, const struct event *event) {
    const int which = event->kind == EVENT_SWITCH        ? STATE_SWITCH
                      : event->kind == EVENT_TASK        ? STATE_TASK
                      : event->kind == EVENT_TASK_PERIOD ? STATE_PERIOD
                                                         : STATES;
    if (is_inside(cut, event->time_ns)) {
        return take(cut, row, event);
    }
    if (which < STATES && !selection_is_over(cut->part, event->time_ns)) {
        hold(cut, row, (unsigned)which, event);
    }
    return 0;
}

/* Forgets the states of a row if its board's session ends. */
static void forget_states(struct cut_row *row, const struct event *session) {
    for (unsigned i = 0; i < STATES; i++) {
        row->held[i] = row->held[i] && !event_is_of_board(session, row->states[i].track);
    }
}

static int take_session(struct cut *cut, const struct event *event) {
    struct event session = *event;
    session.time_ns = not_before(cut, event->time_ns);
    if (event_ends_session(event)) {
        liveset_free(&cut->live[event_board_number(event->u.session.board)]);
        for (uint32_t i = 0; i < cut->row_count; i++) {
            forget_states(&cut->rows[i], event);
        }
    }
    return selection_is_over(cut->part, event->time_ns) ? 0 : hand_on(cut, &session);
}

static int take_event(struct cut *cut, struct cut_row *row, const struct event *event) {
    if (event->kind == EVENT_TRACK || event->kind == EVENT_TRACK_END) {
        struct event clamped = *event;
        clamped.time_ns = not_before(cut, event->time_ns);
        return row->shown ? hand_on(cut, &clamped) : 0;
    }
    if (event_role(event->kind) == KYMO_ROLE_OPENS) {
        return open_zone(cut, row, event);
    }
    if (event->kind == EVENT_ZONE_END) {
        return end_zone(cut, row, event);
    }
    if (event_role(event->kind) == KYMO_ROLE_NOTE) {
        return is_in_taken_zone(row) ? take(cut, row, event) : 0;
    }
    if (event_holds(event->kind)) {
        return take_hold(cut, row, event);
    }
    if (event_is_frame(event->kind)) {
        return take_frame(cut, row, event);
    }
    if (event->kind == EVENT_ALLOC || event->kind == EVENT_FREE) {
        return take_memory(cut, row, event);
    }
    if (selection_is_structure(event)) {
        return take_structure(cut, row, event);
    }
    const bool goes_on =
        event_payload(event->kind) == KYMO_CARRIES_FLOW && event->u.flow.number != 0;
    return takes_from(cut, event, goes_on ? event->u.flow.start_ns : event->time_ns)
               ? take(cut, row, event)
               : 0;
}

int cut_event(struct cut *cut, const struct event *event) {
    if (event->kind == EVENT_SESSION) {
        return take_session(cut, event);
    }
    struct cut_row *row = row_of(cut, event->track->id);
    if (!row) {
        return -ENOMEM;
    }
    row->core = event->track->core;
    return take_event(cut, row, event);
}

int cut_end(struct cut *cut) {
    int error = 0;
    for (uint32_t i = 0; i < cut->row_count && error == 0; i++) {
        error = begin_row(cut, &cut->rows[i]);
    }
    return error;
}

void cut_free(struct cut *cut) {
    for (uint32_t i = 0; i < cut->row_count; i++) {
        free(cut->rows[i].taken);
    }
    free(cut->rows);
    free(cut->frame_open);
    for (unsigned i = 0; i < EVENT_BOARDS_MAX; i++) {
        liveset_free(&cut->live[i]);
    }
    intmap_free(&cut->frames);
}
