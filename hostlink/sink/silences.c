/* SPDX-License-Identifier: MIT */
/* The longest times in which a core recorded no event. Not where events were lost, and not across a reset. */
#include <stdlib.h>
#include <string.h>

#include "model/board_info.h"
#include "sink/view.h"

#define SILENCES 10u
#define SILENCES_MAX 1000u

/* An event of the board, as people call it. */
struct silence_end {
    const struct track *track; /* NULL: none yet */
    enum event_kind kind;
    const char *name;
    int64_t time_ns;
};

struct silence {
    struct silence_end from, to;
};

struct silences {
    struct selection *selection;
    struct silence *list; /* by falling length */
    uint32_t wanted, count;
    int64_t least_ns; /* that a silence must take longer than to be one of them */
    struct silence_end last[BOARD_INFO_LANES]; /* by core */
};

static void *make(const struct view_options *options) {
    const uint32_t wanted = options->top;
    struct silences *s = calloc(1, sizeof *s);
    if (s) {
        s->selection = options->selection;
        s->wanted = wanted == 0 ? SILENCES : wanted < SILENCES_MAX ? wanted : SILENCES_MAX;
        s->list = calloc(s->wanted + 1u, sizeof *s->list);
    }
    if (s && !s->list) {
        free(s);
        s = NULL;
    }
    return s;
}

static void drop(void *state) {
    struct silences *s = state;
    free(s->list);
    free(s);
}

static int64_t length_of(const struct silence *silence) {
    return silence->to.time_ns - silence->from.time_ns;
}

/* Equal silences stay in the order of time. */
static void add(struct silences *s, const struct silence *silence) {
    uint32_t at = s->count;
    while (at > 0 && length_of(&s->list[at - 1]) < length_of(silence)) {
        at--;
    }
    memmove(&s->list[at + 1], &s->list[at], (s->count - at) * sizeof *s->list);
    s->list[at] = *silence;
    s->count += s->count < s->wanted;
    s->least_ns = s->count == s->wanted ? length_of(&s->list[s->count - 1]) : 0;
}

/* True if the core recorded the event at that time; false for ends that hostlink added. */
static bool was_recorded(const struct event *event) {
    switch (event->kind) {
    case EVENT_SWITCH:
        return true;
    case EVENT_ZONE_END:
        return event->u.zone.repaired == ZONE_ENDED;
    case EVENT_FRAME_END:
        return event->u.frame.repaired == FRAME_ENDED;
    case EVENT_FREE:
        return !event->u.memory.repaired;
    case EVENT_ASYNC_END:
        return event->u.flow.repaired == FLOW_WHOLE;
    default:
        return (uint32_t)event->kind < 256 &&
               (!event_holds(event->kind) || event->u.hold.repaired == HOLD_ENDED);
    }
}

/* Forgets the events of the board whose session begins. */
static void forget(struct silences *s, const struct event *session) {
    for (uint32_t i = 0; i < BOARD_INFO_LANES; i++) {
        if (s->last[i].track && event_is_of_board(session, s->last[i].track)) {
            s->last[i].track = NULL;
        }
    }
}

static void end_silence(struct silences *s, const struct silence *silence) {
    if (!s->selection || selection_takes_run(s->selection, silence->from.track,
                                             silence->from.time_ns, silence->to.time_ns)) {
        add(s, silence);
    }
}

static int take(void *state, const struct event *event) {
    struct silences *s = state;
    if (event->kind == EVENT_SESSION) {
        forget(s, event);
        return 0;
    }
    if (event->track->device) {
        return 0;
    }
    struct silence_end *last = &s->last[event->track->core];
    if (event->kind == EVENT_GAP) {
        last->track = NULL;
    }
    if (!was_recorded(event) || (last->track && event->time_ns < last->time_ns)) {
        return 0;
    }
    const struct silence_end now = {event->track, event->kind, event_name(event), event->time_ns};
    if (last->track && event->time_ns - last->time_ns > s->least_ns) {
        const struct silence silence = {*last, now};
        end_silence(s, &silence);
    }
    *last = now;
    return 0;
}

static int write(void *state, struct table_to *to) {
    static const struct table_column columns[] = {
        {"silence_ns", "no event", TABLE_TIME, 8, 0, 0}, {"at_ns", "began at", TABLE_AT, 0, 0, 0},
        {"core", "core", TABLE_COUNT, 0, 0, 0},          {"on", "on", TABLE_NAME, 0, 32, 0},
        {"after", "after", TABLE_NAME, 0, 16, 0},        {"after_name", "", TABLE_NAME, 0, 32, 0},
        {"until", "until", TABLE_NAME, 0, 16, 0},        {"until_name", "", TABLE_NAME, 0, 32, 0},
        {"until_on", "on", TABLE_NAME, 0, 32, 0},
    };
    const struct silences *s = state;
    struct table t;
    table_begin(&t, to, "silences", NULL, 0);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct silence *one = &s->list[i];
        table_row(&t, TABLE_ALL);
        table_number(&t, (uint64_t)length_of(one));
        table_integer(&t, one->from.time_ns);
        table_number(&t, one->from.track->core);
        table_text(&t, one->from.track->name);
        table_text(&t, event_word(one->from.kind));
        table_text(&t, one->from.name);
        table_text(&t, event_word(one->to.kind));
        table_text(&t, one->to.name);
        table_text(&t, one->to.track->name);
    }
    return table_end_or(&t, "no core recorded two events at different times");
}

const struct view view_silences = {.option = "silences",
                                   .make = make,
                                   .event = take,
                                   .write = write,
                                   .free = drop,
                                   .whole = true,
                                   .in_report = true};
