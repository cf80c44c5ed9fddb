/* SPDX-License-Identifier: MIT */
#include "sink/running.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

struct entered {
    const struct track *track;
    int64_t from_ns, self_ns;
};

struct running_core {
    const struct track *track; /* NULL: not known yet */
    int64_t since_ns;
    struct entered entered[RUNNING_NEST_MAX]; /* the outermost first */
    uint32_t depth;
    struct running_task task; /* a track of NULL: not known */
};

static struct running_core *core_of(struct running *r, uint32_t number) {
    if (!grow_zeroed(&r->cores, &r->core_count, number, sizeof *r->cores)) {
        return NULL;
    }
    return &r->cores[number];
}

static int end_slice(struct running *r, struct running_core *core, int64_t to_ns) {
    const struct running_slice slice = {core->track, (uint32_t)(core - r->cores), core->since_ns,
                                        to_ns};
    core->since_ns = to_ns > core->since_ns ? to_ns : core->since_ns;
    if (!slice.track || to_ns <= slice.from_ns) {
        return 0;
    }
    if (core->depth > 0) {
        core->entered[core->depth - 1].self_ns += to_ns - slice.from_ns;
    }
    core->task.self_ns += slice.track == core->task.track ? to_ns - slice.from_ns : 0;
    return r->slice ? r->slice(r->context, &slice) : 0;
}

/* Interrupts return until "stay" of them are left. */
static int return_to(struct running *r, struct running_core *core, uint32_t stay, int64_t to_ns) {
    int error = 0;
    while (core->depth > stay && error == 0) {
        const struct entered *entered = &core->entered[--core->depth];
        const struct running_interrupt run = {entered->track, entered->from_ns, to_ns,
                                              entered->self_ns, core->depth + 1};
        error = r->interrupt ? r->interrupt(r->context, &run) : 0;
    }
    return error;
}

/* How many of the interrupts that were entered go on when "track" runs. */
static uint32_t stay(const struct running_core *core, const struct track *track) {
    for (uint32_t i = core->depth; i > 0; i--) {
        if (core->entered[i - 1].track == track) {
            return i;
        }
    }
    return track->kind == KYMO_CONTEXT_INTERRUPT ? core->depth : 0;
}

/* The core goes on with that task. */
static int begin_task(struct running *r, struct running_core *core, const struct track *track,
                      int64_t from_ns) {
    const struct running_task run = core->task;
    if (run.track == track) {
        return 0;
    }
    core->task = (struct running_task){.track = track, .from_ns = from_ns};
    return run.track && r->task ? r->task(r->context, &run) : 0;
}

static int switch_to(struct running *r, const struct event *event) {
    struct running_core *core = core_of(r, event->track->core);
    if (!core) {
        return -ENOMEM;
    }
    int error = end_slice(r, core, event->time_ns);
    const uint32_t stays = stay(core, event->track);
    error = error ? error : return_to(r, core, stays, event->time_ns);
    const bool enters = event->track->kind == KYMO_CONTEXT_INTERRUPT &&
                        (stays == 0 || core->entered[stays - 1].track != event->track);
    if (error == 0 && event->track->kind != KYMO_CONTEXT_INTERRUPT) {
        error = begin_task(r, core, event->track, event->time_ns);
    }
    if (enters && core->depth < RUNNING_NEST_MAX) {
        core->entered[core->depth++] = (struct entered){event->track, event->time_ns, 0};
    }
    core->track = event->track;
    core->since_ns = event->time_ns;
    return error;
}

/* The interrupts that were entered may have returned meanwhile, and come again. */
static int lose(struct running *r, const struct event *event) {
    struct running_core *core = core_of(r, event->track->core);
    if (!core) {
        return -ENOMEM;
    }
    const int error = end_slice(r, core, event->u.gap.start_ns);
    core->task.track = NULL; /* it may have left meanwhile, and come again */
    core->depth = 0;
    core->since_ns = event->time_ns > core->since_ns ? event->time_ns : core->since_ns;
    return error;
}

/* Ends the cores of the board whose session ends; NULL: of all. */
static int end_cores(struct running *r, const struct event *session) {
    int error = 0;
    for (uint32_t i = 0; i < r->core_count && error == 0; i++) {
        struct running_core *core = &r->cores[i];
        if (core->track && (!session || event_is_of_board(session, core->track))) {
            error = end_slice(r, core, event_board_end_ns(core->track->board, r->last_ns));
            *core = (struct running_core){0};
        }
    }
    return error;
}

int running_event(struct running *r, const struct event *event) {
    int error = 0;
    if (event->kind == EVENT_SWITCH) {
        error = switch_to(r, event);
    } else if (event->kind == EVENT_GAP) {
        error = lose(r, event);
    } else if (event_ends_session(event)) {
        error = end_cores(r, event);
    }
    r->last_ns = event->time_ns > r->last_ns ? event->time_ns : r->last_ns;
    return error;
}

int running_end(struct running *r) {
    const int error = end_cores(r, NULL);
    free(r->cores);
    r->cores = NULL;
    r->core_count = 0;
    return error;
}
