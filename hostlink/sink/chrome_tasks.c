/* SPDX-License-Identifier: MIT */
#include "sink/chrome_tasks.h"

#include "base/join.h"
#include "kymo/wire.h"
#include "sink/task_reason.h"

/* Thread ids of task states; ids of series count from SERIES_TID_BASE. */
#define STATES_TID_BASE 0x60000000u

static void end_state(struct chrome *chrome, struct chrome_states *states, int64_t time_ns) {
    if (states->open) {
        start(chrome, 'E', "", states->session, states->tid, time_ns);
        finish(chrome);
    }
    states->open = false;
}

static void declare(struct chrome *chrome, struct chrome_states *states,
                    const struct track *track) {
    char name[256];
    if (!states->declared) {
        states->declared = true;
        states->tid = STATES_TID_BASE + track->id;
        states->session = track->session;
        states->board = track->board;
        join(name, sizeof name, (const char *const[]){track->name, ": state", NULL});
        metadata(chrome, "thread_name", track->session, states->tid, name);
    }
}

static void begin_state(struct chrome *chrome, const struct chrome_states *states,
                        const struct event *event) {
    const enum task_state state = (enum task_state)event->u.task.state;
    const struct track *other = event->u.task.other;
    const bool waits = state == TASK_WAITING;
    char name[TASK_REASON_BYTES] = "waits: ";
    if (waits) {
        task_reason(event, name + strlen(name), sizeof name - strlen(name));
    }
    start(chrome, 'B', waits ? name : task_state_word(state), states->session, states->tid,
          event->time_ns);
    field(chrome, "cat", "task");
    if (state == TASK_READY && event->u.task.woken && (other || event->u.task.interrupt)) {
        const char *waker = other ? other->name : "interrupt";
        arg_text(chrome, "woken by", waker, strlen(waker));
    }
    if (event->u.task.has_base) {
        arg_signed(chrome, "priority", event->u.task.priority);
    }
    finish(chrome);
}

void chrome_task(struct chrome *chrome, struct chrome_states *states, const struct event *event) {
    const enum task_state state = (enum task_state)event->u.task.state;
    if (event->track->kind == KYMO_CONTEXT_MAIN) {
        return;
    }
    declare(chrome, states, event->track);
    end_state(chrome, states, event->time_ns);
    states->open = state != TASK_UNKNOWN && state != TASK_OVER;
    if (states->open) {
        begin_state(chrome, states, event);
    }
}

void chrome_task_end(struct chrome *chrome, struct chrome_states *states) {
    end_state(chrome, states, event_board_end_ns(states->board, chrome->last_ns));
}
