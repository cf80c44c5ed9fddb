/* SPDX-License-Identifier: MIT */
#include "sink/taskstats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "sink/taskstats_state.h"

#define PAIRS_MAX 65536u

struct taskstats *taskstats_new(void) {
    return calloc(1, sizeof(struct taskstats));
}

static void free_row(struct taskstats_row *row) {
    if (row != NULL) {
        struct histogram *const histograms[] = {row->ready, row->windows};
        for (size_t i = 0; i < sizeof histograms / sizeof histograms[0]; i++) {
            if (histograms[i] != NULL) {
                histogram_free(histograms[i]);
                free(histograms[i]);
            }
        }
        task_jobs_free(&row->jobs);
        free(row->waited);
        free(row);
    }
}

void taskstats_free(struct taskstats *stats) {
    if (stats != NULL) {
        for (uint32_t i = 0; i < stats->count; i++) {
            free_row(stats->rows[i]);
        }
        for (uint32_t i = 0; i < stats->core_count; i++) {
            task_log_free(&stats->cores[i].log);
        }
        keytable_free(&stats->pairs);
        free(stats->pair_counts);
        free(stats->rows);
        free(stats->cores);
        free(stats);
    }
}

/* ---- runs of cores ---- */

/* Charges the core's time until then to the running row. */
static void charge(struct taskstats *stats, struct task_core *core, int64_t until_ns) {
    struct taskstats_row *row = core->log.now;
    if (row != NULL && until_ns > core->log.since_ns) {
        const uint64_t ns = (uint64_t)(until_ns - core->log.since_ns);
        row->run_ns += ns;
        row->window.ns += ns;
        stats->observed_ns += ns;
        task_log_reached(&core->log, until_ns);
    }
}

/* A task runs on one core at a time: the other that ran it has not yet said what it runs instead. */
static void leave_others(struct taskstats *stats, const struct task_core *to,
                         const struct taskstats_row *row, int64_t time_ns) {
    for (uint32_t i = 0; i < stats->core_count; i++) {
        struct task_core *core = &stats->cores[i];
        if (core != to && core->log.now == row) {
            charge(stats, core, time_ns);
            core->log.now = NULL;
        }
    }
}

/* A suspended interrupt goes on; a new one is entered. */
static int enter_interrupt(struct task_core *core, struct taskstats_row *row, int64_t time_ns) {
    uint32_t depth = core->depth;
    while (depth > 0 && core->nested[depth - 1] != row) {
        depth--;
    }
    if (depth > 0) {
        core->depth = depth;
        return 0;
    }
    row->runs++;
    if (core->depth < TASK_NESTED_MAX) {
        core->nested[core->depth++] = row;
    }
    return task_worst_enters(row, time_ns);
}

static int on_switch(struct taskstats *stats, const struct event *event) {
    struct task_core *core = taskstats_core(stats, event->track->core);
    struct taskstats_row *row = taskstats_row_of(stats, event->track, event->time_ns);
    if (core == NULL || row == NULL) {
        return -ENOMEM;
    }
    charge(stats, core, event->time_ns);
    if (event->track->kind == KYMO_CONTEXT_TASK) {
        leave_others(stats, core, row, event->time_ns);
    }
    core->log.since_ns = core->log.now != NULL ? core->log.since_ns : event->time_ns;
    core->log.now = row;
    stats->first_ns = stats->timed ? stats->first_ns : event->time_ns;
    stats->timed = true;
    if (event->track->kind == KYMO_CONTEXT_INTERRUPT) {
        return enter_interrupt(core, row, event->time_ns);
    }
    core->depth = 0;
    row->runs += core->task != row;
    core->task = row;
    return stats->told ? task_log_begin(&core->log) : 0;
}

/* The core's runs are unknown meanwhile. */
static int on_gap(struct taskstats *stats, const struct event *event) {
    struct task_core *core = taskstats_core(stats, event->track->core);
    if (core == NULL) {
        return -ENOMEM;
    }
    charge(stats, core, event->u.gap.start_ns);
    if (core->log.now != NULL && event->time_ns > core->log.since_ns) {
        stats->lost_ns += (uint64_t)(event->time_ns - core->log.since_ns);
        core->log.since_ns = event->time_ns;
        core->preempted = NULL;
    }
    return 0;
}

/* ---- states ---- */

static void keep_latency(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns) {
    const uint64_t ns = (uint64_t)(time_ns - row->since_ns);
    const struct task_core *core = taskstats_core(stats, row->track->core);
    if (core != NULL && (!row->has_latency || ns > row->ready_max.ns)) {
        const struct task_log_query query = {row->since_ns, time_ns, row, NULL, false};
        row->ready_max = (struct taskstats_longest){.at_ns = row->since_ns, .ns = ns};
        row->has_latency = true;
        (void)task_log_sum(&core->log, &query, ++stats->scans, &row->ready_max);
    }
}

static int add_latency(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns) {
    const uint64_t ns = (uint64_t)(time_ns - row->since_ns);
    row->ready = row->ready != NULL ? row->ready : calloc(1, sizeof *row->ready);
    if (row->ready == NULL) {
        return -ENOMEM;
    }
    row->ready_ns += ns;
    keep_latency(stats, row, time_ns);
    return histogram_add(row->ready, ns);
}

static int add_wait(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns) {
    const uint64_t ns = (uint64_t)(time_ns - row->since_ns);
    const uint32_t why = row->why < TASKSTATS_WHYS ? row->why : KYMO_WHY_UNKNOWN;
    row->waited = row->waited != NULL ? row->waited : calloc(TASKSTATS_WHYS, sizeof *row->waited);
    if (row->waited == NULL) {
        return -ENOMEM;
    }
    row->waited[why].count += row->left;
    row->waited[why].ns += ns;
    if (why == KYMO_WHY_LOCK) {
        task_worst_lock(stats, row, time_ns);
    }
    if (why == KYMO_WHY_LOCK && (row->lock == NULL || ns > row->lock_max.ns)) {
        row->lock_max =
            (struct taskstats_longest){row->since_ns, ns, taskstats_known(stats, row->other), 0};
        row->lock = row->object;
    }
    return 0;
}

/* Its state lasted until then. */
static int leave_state(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns) {
    time_ns = time_ns > row->since_ns ? time_ns : row->since_ns;
    row->state_ns[row->state] += (uint64_t)(time_ns - row->since_ns);
    switch (row->state) {
    case TASK_WAITING:
    case TASK_SUSPENDED:
        return add_wait(stats, row, time_ns);
    case TASK_READY:
        task_worst_ready(stats, row, time_ns);
        return 0;
    default:
        return 0;
    }
}

static void add_response(struct taskstats_row *row, int64_t time_ns) {
    if (row->woke_ns >= 0 && time_ns >= row->woke_ns) {
        const uint64_t ns = (uint64_t)(time_ns - row->woke_ns);
        row->response.count++;
        row->response.ns += ns;
        row->response_max_ns = ns > row->response_max_ns ? ns : row->response_max_ns;
    }
}

static int add_pair(struct taskstats *stats, const struct taskstats_row *row,
                    const struct taskstats_row *by) {
    const uint32_t key[2] = {row->track->id, by->track->id};
    const bool full = stats->pairs.count >= PAIRS_MAX;
    /* There is one before its key. */
    if (!grow_zeroed(&stats->pair_counts, &stats->pair_capacity, stats->pairs.count,
                     sizeof *stats->pair_counts)) {
        return -ENOMEM;
    }
    const int64_t number = full ? keytable_find(&stats->pairs, key, sizeof key)
                                : keytable_add(&stats->pairs, key, sizeof key);
    if (number < 0) {
        return full ? 0 : -ENOMEM;
    }
    stats->pair_counts[number]++;
    return 0;
}

static int runs_now(struct taskstats *stats, struct taskstats_row *row) {
    struct task_core *core = taskstats_core(stats, row->track->core);
    if (core == NULL) {
        return -ENOMEM;
    }
    const struct taskstats_row *preempted = core->preempted;
    core->preempted = NULL;
    const int result = preempted != NULL && preempted != row ? add_pair(stats, preempted, row) : 0;
    return result != 0 ? result : task_log_begin(&core->log);
}

static int left_ready(struct taskstats *stats, struct taskstats_row *row) {
    struct task_core *core = taskstats_core(stats, row->track->core);
    row->preempted++;
    if (core != NULL) {
        core->preempted = row;
    }
    return core != NULL ? 0 : -ENOMEM;
}

static void keep_priority(struct taskstats *stats, struct taskstats_row *row, int32_t base,
                          int32_t priority) {
    const bool higher =
        !row->has_base || task_is_urgent(priority, row->highest, stats->greater_first);
    row->highest = higher ? priority : row->highest;
    row->base = base;
    row->has_base = true;
}

static int follow_job(struct taskstats *stats, struct taskstats_row *row, const struct event *event,
                      enum task_state before) {
    switch (event->u.task.state) {
    case TASK_READY:
        return event->u.task.woken && before != TASK_UNKNOWN ? task_jobs_woken(row, event->time_ns)
                                                             : 0;
    case TASK_WAITING:
    case TASK_SUSPENDED: /* by another one: the job may go on later */
        if (before == TASK_RUNNING) {
            task_jobs_waits(stats, row, event->u.task.why, event->time_ns);
        } else {
            task_jobs_unknown(row);
        }
        return 0;
    case TASK_RUNNING: /* nobody said that it woke */
        if (before != TASK_READY) {
            task_jobs_unknown(row);
        }
        return 0;
    default:
        task_jobs_unknown(row);
        return 0;
    }
}

static int enter_state(struct taskstats *stats, struct taskstats_row *row,
                       const struct event *event) {
    const enum task_state state = (enum task_state)event->u.task.state;
    const bool woken = event->u.task.woken;
    int result = 0;
    if (state == TASK_RUNNING) {
        result = runs_now(stats, row);
        if (result == 0 && woken && event->time_ns >= row->since_ns) {
            result = add_latency(stats, row, event->time_ns);
        }
    } else if (state == TASK_READY && row->state == TASK_RUNNING) {
        result = left_ready(stats, row);
    } else if (state == TASK_READY && woken) {
        row->wakes++;
        row->woke_ns = row->state == TASK_UNKNOWN ? -1 : event->time_ns;
    } else if (state == TASK_WAITING || state == TASK_SUSPENDED) {
        row->left = row->state == TASK_RUNNING;
        row->waits += row->left;
        if (row->left) {
            add_response(row, event->time_ns);
        }
    }
    row->woke_ns = state == TASK_RUNNING || state == TASK_READY ? row->woke_ns : -1;
    row->state = state;
    row->woken = woken;
    row->since_ns = event->time_ns > row->since_ns ? event->time_ns : row->since_ns;
    return result;
}

static int on_task(struct taskstats *stats, const struct event *event) {
    struct taskstats_row *row = taskstats_row_of(stats, event->track, event->time_ns);
    int result = row != NULL ? leave_state(stats, row, event->time_ns) : -ENOMEM;
    if (result != 0) {
        return result;
    }
    const enum task_state before = row->state;
    stats->told = true;
    row->told = event->track->kind != KYMO_CONTEXT_MAIN; /* which is no task */
    stats->greater_first = event->u.task.greater_first;
    if (event->u.task.has_base) {
        keep_priority(stats, row, event->u.task.base, event->u.task.priority);
    }
    result = enter_state(stats, row, event);
    row->why = event->u.task.why;
    row->object = event->object;
    row->other = event->u.task.other;
    if (event->u.task.deadlock) {
        task_worst_deadlock(stats, row, event->time_ns);
    }
    return result != 0 ? result : follow_job(stats, row, event, before);
}

static int on_told(struct taskstats *stats, const struct event *event) {
    struct taskstats_row *row = taskstats_row_of(stats, event->track, event->time_ns);
    if (row == NULL) {
        return -ENOMEM;
    }
    if (event->kind == EVENT_TASK_PERIOD) {
        task_jobs_told(row, event->u.period.period_us, event->u.period.deadline_us);
    } else if (event->kind == EVENT_TASK_STACK) {
        row->stack_unused = event->u.stack.unused;
        row->stack_bytes = event->u.stack.bytes;
    } else {
        const bool own = event->u.priority.cause == KYMO_PRIORITY_SET || !row->has_base;
        keep_priority(stats, row, own ? event->u.priority.value : row->base,
                      event->u.priority.value);
    }
    return 0;
}

/* ---- the session ---- */

/* A row that is ready at the end has waited at least this long for its core. */
static void end_ready(struct taskstats *stats, struct taskstats_row *row, int64_t end_ns) {
    if (row->state == TASK_READY && end_ns > row->since_ns) {
        row->ready_open_ns = (uint64_t)(end_ns - row->since_ns);
        if (row->woken) {
            keep_latency(stats, row, end_ns);
        }
    }
}

static int end_row(struct taskstats *stats, struct taskstats_row *row) {
    const int64_t end_ns = taskstats_end_ns(stats, row);
    int result = 0;
    if (row->told) {
        end_ready(stats, row, end_ns);
        result = leave_state(stats, row, end_ns);
        row->since_ns = end_ns;
    }
    result = result == 0 ? task_jobs_end(stats, row) : result;
    return result == 0 && row->window.count != 0 ? task_worst_enters(row, INT64_MAX) : result;
}

static bool is_of_board(const struct taskstats_row *row, uint32_t board) {
    return row != NULL && event_board_number(row->track->board) == board;
}

/* Before the runs of cores are forgotten. */
static int end_states(struct taskstats *stats, uint32_t board) {
    int result = 0;
    for (uint32_t i = stats->session[board]; i < stats->count && result == 0; i++) {
        struct taskstats_row *row = stats->rows[i];
        if (is_of_board(row, board)) {
            result = end_row(stats, row);
            stats->session[board] = i + 1;
        }
    }
    return result;
}

static int end_session(struct taskstats *stats, uint32_t board) {
    for (uint32_t i = 0; i < stats->core_count; i++) {
        if (is_of_board(stats->cores[i].log.now, board)) {
            charge(stats, &stats->cores[i], taskstats_end_ns(stats, stats->cores[i].log.now));
        }
    }
    const int result = end_states(stats, board);
    for (uint32_t i = 0; i < stats->core_count; i++) {
        if (is_of_board(stats->cores[i].log.now, board)) {
            const struct task_log log = {.runs = stats->cores[i].log.runs};
            stats->cores[i] = (struct task_core){.log = log};
        }
    }
    return result;
}

static void count_pairs(struct taskstats *stats) {
    for (uint32_t i = 0; i < stats->pairs.count; i++) {
        uint32_t key[2];
        memcpy(key, stats->pairs.bytes + stats->pairs.entries[i].offset, sizeof key);
        struct taskstats_row *row = stats->rows[key[0]];
        if (stats->pair_counts[i] > row->preempted_by_count) {
            row->preempted_by_count = stats->pair_counts[i];
            row->preempted_by = stats->rows[key[1]];
        }
    }
}

void taskstats_reach(struct taskstats *stats, int64_t time_ns) {
    for (uint32_t i = 0; i < stats->core_count; i++) {
        charge(stats, &stats->cores[i], time_ns);
    }
}

int taskstats_end(struct taskstats *stats) {
    if (!stats->ended) {
        for (uint32_t board = 0; board < EVENT_BOARDS_MAX && stats->error == 0; board++) {
            stats->error = end_session(stats, board);
        }
        count_pairs(stats);
    }
    stats->ended = true;
    return stats->error;
}

static __attribute__((noinline)) int take(struct taskstats *stats, const struct event *event) {
    switch (event->kind) {
    case EVENT_SESSION:
        return event_ends_session(event)
                   ? end_session(stats, event_board_number(event->u.session.board))
                   : 0;
    case EVENT_SWITCH:
        return on_switch(stats, event);
    case EVENT_GAP:
        return on_gap(stats, event);
    case EVENT_TASK:
        return on_task(stats, event);
    case EVENT_TASK_PRIORITY:
    case EVENT_TASK_STACK:
    case EVENT_TASK_PERIOD:
        return on_told(stats, event);
    default:
        return 0;
    }
}

int taskstats_event(struct taskstats *stats, const struct event *event) {
    const bool own = event->kind >= EVENT_SESSION || event_is_of_task(event->kind);
    stats->last_ns = event->time_ns > stats->last_ns ? event->time_ns : stats->last_ns;
    if (own && stats->error == 0) {
        stats->error = take(stats, event);
    }
    return stats->error;
}

const struct taskstats_row *taskstats_row(const struct taskstats *stats, uint32_t number) {
    static const struct taskstats_row none;
    return number >= stats->count        ? NULL
           : stats->rows[number] != NULL ? stats->rows[number]
                                         : &none;
}

uint64_t taskstats_observed_ns(const struct taskstats *stats) { return stats->observed_ns; }
uint64_t taskstats_lost_ns(const struct taskstats *stats) { return stats->lost_ns; }
bool taskstats_told(const struct taskstats *stats) { return stats->told; }
