/* SPDX-License-Identifier: MIT */
/* The statistics of tasks as a table. */
#include <errno.h>
#include <stdlib.h>

#include "base/human.h"
#include "sink/table.h"
#include "sink/taskstats.h"
#include "sink/view.h"

#define ROWS_FOR_PEOPLE 50u
#define REASONS_SHOWN 3u
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const struct table_column columns[] = {
    {"task", "task", TABLE_NAME, 0, 24, 0},
    {"id", NULL, TABLE_COUNT, 0, 0, 0},
    {"session", NULL, TABLE_COUNT, 0, 0, 0},
    {"class", NULL, TABLE_NAME, 0, 0, 0},
    {"priority", "prio", TABLE_COUNT, 0, 0, 0},
    {"highest_priority", NULL, TABLE_COUNT, 0, 0, 0},
    {"run_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"run_percent", "cpu", TABLE_PERCENT, 8, 0, 0},
    {"runs", "runs", TABLE_COUNT, 0, 0, 0},
    {"preempted", "preempted", TABLE_COUNT, 0, 0, 0},
    {"preempted_by", "most by", TABLE_NAME, 0, 16, 0},
    {"preempted_by_count", NULL, TABLE_COUNT, 0, 0, 0},
    {"waits", "waits", TABLE_COUNT, 0, 0, 0},
    {"wakes", NULL, TABLE_COUNT, 0, 0, 0},
    {"ready_count", NULL, TABLE_COUNT, 0, 0, 0},
    {"ready_mean_ns", "ready mean", TABLE_TIME, 8, 0, 0},
    {"ready_p99_ns", "p99", TABLE_TIME, 8, 0, 0},
    {"ready_max_ns", "max", TABLE_TIME, 8, 0, 0},
    {"ready_max_at_ns", "at", TABLE_AT, 0, 0, 0},
    {"ready_max_by", "most ran", TABLE_NAME, 0, 16, 0},
    {"ready_max_by_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"ready_open_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"response_mean_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"response_max_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"state_running_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"state_ready_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"state_waiting_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"state_suspended_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"state_unknown_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"unknown_percent", "unknown", TABLE_PERCENT, 8, 0, 0},
};

/* People see them if a task has a period. */
static const struct table_column job_columns[] = {
    {"jobs", NULL, TABLE_COUNT, 0, 0, 0},
    {"job_max_ns", "job max", TABLE_TIME, 8, 0, 0},
    {"period_ns", "period", TABLE_TIME, 8, 0, 0},
    {"period_told_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"jitter_p99_ns", "jitter", TABLE_TIME, 8, 0, 0},
    {"jitter_max_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"deadline_ns", "deadline", TABLE_TIME, 8, 0, 0},
    {"missed", "missed", TABLE_COUNT, 0, 0, 0},
    {"unfinished", NULL, TABLE_COUNT, 0, 0, 0},
};

static const struct table_column wait_columns[] = {
    {NULL, "waited for", TABLE_NAME, 0, 0, 0},       {"lock_max_ns", NULL, TABLE_TIME, 0, 0, 0},
    {"lock_max_at_ns", NULL, TABLE_AT, 0, 0, 0},     {"lock_max_of", NULL, TABLE_NAME, 0, 0, 0},
    {"lock_max_held_by", NULL, TABLE_NAME, 0, 0, 0}, {"stack_unused", NULL, TABLE_BYTES, 0, 0, 0},
    {"stack_bytes", NULL, TABLE_BYTES, 0, 0, 0},
};

/* By enum kymo_why; people see the greatest of them in "waited for". */
#define REASON(key)                                                                                \
    {"waits_" key, NULL, TABLE_COUNT, 0, 0, 0}, { "waits_" key "_ns", NULL, TABLE_TIME, 0, 0, 0 }
static const struct table_column reason_columns[] = {
    REASON("unknown"),   REASON("delay"), REASON("receive"),      REASON("send"),
    REASON("semaphore"), REASON("lock"),  REASON("notification"), REASON("event_flags"),
    REASON("suspended"), REASON("join"),  REASON("memory"),       REASON("io"),
    REASON("condition"),
};
_Static_assert(COUNT_OF(reason_columns) == 2 * KYMO_WHY_OVER, "two for each reason");

/* ---- rows in order ---- */

static int by_time(const void *left, const void *right) {
    const struct taskstats_row *a = *(const struct taskstats_row *const *)left;
    const struct taskstats_row *b = *(const struct taskstats_row *const *)right;
    if (a->run_ns != b->run_ns) {
        return a->run_ns > b->run_ns ? -1 : 1;
    }
    return a->track->id < b->track->id ? -1 : 1;
}

/* An array for free(), those that ran longest first. NULL: no memory. */
static const struct taskstats_row **in_order(const struct taskstats *stats, size_t *count) {
    uint32_t all = 0;
    while (taskstats_row(stats, all) != NULL) {
        all++;
    }
    const struct taskstats_row **rows = malloc((all + 1) * sizeof *rows);
    *count = 0;
    for (uint32_t i = 0; rows != NULL && i < all; i++) {
        rows[*count] = taskstats_row(stats, i);
        *count += rows[*count]->track != NULL;
    }
    if (rows != NULL) {
        qsort(rows, *count, sizeof *rows, by_time);
    }
    return rows;
}

/* ---- cells ---- */

static double percent(uint64_t part, uint64_t whole) {
    return whole != 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* The cell stays empty if no kernel reported the number. */
static void put_number(struct table *t, bool known, uint64_t number) {
    if (known) {
        table_number(t, number);
    } else {
        table_nothing(t);
    }
}

static void put_integer(struct table *t, bool known, int64_t number) {
    if (known) {
        table_integer(t, number);
    } else {
        table_nothing(t);
    }
}

static void put_mean(struct table *t, uint64_t sum, uint64_t count) {
    put_number(t, count != 0, count != 0 ? sum / count : 0);
}

static void put_name(struct table *t, const struct taskstats_row *row) {
    table_text(t, row != NULL ? row->track->name : "");
}

static const char *class_of(const struct taskstats_row *row) {
    static const char *const words[] = {[KYMO_CONTEXT_MAIN] = "main",
                                        [KYMO_CONTEXT_INTERRUPT] = "interrupt",
                                        [KYMO_CONTEXT_TASK] = "task",
                                        [KYMO_CONTEXT_FIBER] = "fiber",
                                        [KYMO_CONTEXT_IDLE] = "idle"};
    return row->track->kind < COUNT_OF(words) ? words[row->track->kind] : "";
}

/* The middle of a histogram's step may exceed the maximum. */
static uint64_t p99(const struct histogram *histogram, uint64_t max_ns) {
    const uint64_t value = histogram != NULL ? histogram_percentile(histogram, 99) : 0;
    return value < max_ns ? value : max_ns;
}

static void put_ready(struct table *t, const struct taskstats_row *row) {
    const uint64_t count = row->ready != NULL ? row->ready->count : 0;
    const struct taskstats_longest *longest = &row->ready_max;
    put_number(t, row->told, count);
    put_mean(t, row->ready_ns, count);
    put_number(t, count != 0, p99(row->ready, row->ready_max.ns));
    put_number(t, row->has_latency, longest->ns);
    put_integer(t, row->has_latency, longest->at_ns);
    put_name(t, longest->by);
    put_number(t, longest->by != NULL, longest->by_ns);
    put_number(t, row->told, row->ready_open_ns);
    put_mean(t, row->response.ns, row->response.count);
    put_number(t, row->response.count != 0, row->response_max_ns);
}

static void put_states(struct table *t, const struct taskstats_row *row) {
    static const enum task_state states[] = {TASK_RUNNING, TASK_READY, TASK_WAITING, TASK_SUSPENDED,
                                             TASK_UNKNOWN};
    uint64_t all_ns = 0;
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        put_number(t, row->told, row->state_ns[states[i]]);
        all_ns += row->state_ns[states[i]];
    }
    if (row->told) {
        table_real(t, percent(row->state_ns[TASK_UNKNOWN], all_ns));
    } else {
        table_nothing(t);
    }
}

/* "delay 71 %, lock 22 %" of the time that it waited. */
static void put_reasons(struct table *t, const struct taskstats_row *row) {
    char text[200] = "";
    uint64_t all_ns = 0;
    uint32_t said = 0;
    size_t length = 0;
    for (uint32_t why = 0; row->waited != NULL && why < TASKSTATS_WHYS; why++) {
        all_ns += row->waited[why].ns;
    }
    for (uint32_t i = 0; i < REASONS_SHOWN && all_ns != 0; i++) {
        uint32_t most = TASKSTATS_WHYS;
        for (uint32_t why = 0; why < TASKSTATS_WHYS; why++) {
            const bool more = most == TASKSTATS_WHYS || row->waited[why].ns > row->waited[most].ns;
            most = (said >> why & 1u) == 0 && more ? why : most;
        }
        if (row->waited[most].ns == 0) {
            break;
        }
        said |= 1u << most;
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s %.0f %%", i > 0 ? ", " : "",
                             task_why_word((uint8_t)most), percent(row->waited[most].ns, all_ns));
    }
    table_text(t, text);
}

static void put_waits(struct table *t, const struct taskstats_row *row) {
    const bool locked = row->lock != NULL;
    put_reasons(t, row);
    put_number(t, locked, row->lock_max.ns);
    put_integer(t, locked, row->lock_max.at_ns);
    table_text(t, locked ? row->lock->name : "");
    put_name(t, row->lock_max.by);
    put_number(t, row->stack_bytes != 0 || row->stack_unused != 0, row->stack_unused);
    put_number(t, row->stack_bytes != 0, row->stack_bytes);
    for (uint32_t why = 0; why < KYMO_WHY_OVER; why++) {
        const struct taskstats_sum none = {0};
        const struct taskstats_sum *sum = row->waited != NULL ? &row->waited[why] : &none;
        put_number(t, row->told, sum->count);
        put_number(t, row->told, sum->ns);
    }
}

static bool has_period(const struct taskstats_row *row) {
    return row->jobs.jitter != NULL || row->jobs.told_ns != 0;
}

static void put_jobs(struct table *t, const struct taskstats_jobs *jobs, bool told) {
    const bool known = jobs->jitter != NULL;
    put_number(t, told, jobs->count);
    put_number(t, jobs->count != 0, jobs->max_ns);
    put_number(t, known, jobs->period_ns);
    put_number(t, jobs->told_ns != 0, jobs->told_ns);
    put_number(t, known, p99(jobs->jitter, jobs->jitter_max_ns));
    put_number(t, known, jobs->jitter_max_ns);
    put_number(t, jobs->deadline_ns != 0, jobs->deadline_ns);
    put_number(t, jobs->deadline_ns != 0, jobs->missed);
    put_number(t, jobs->deadline_ns != 0, jobs->unfinished);
}

static void put_row(struct table *t, const struct taskstats *stats,
                    const struct taskstats_row *row) {
    table_text(t, row->track->name);
    table_number(t, row->track->id);
    table_number(t, row->track->session);
    table_text(t, class_of(row));
    put_integer(t, row->has_base, row->base);
    put_integer(t, row->has_base, row->highest);
    table_number(t, row->run_ns);
    table_real(t, percent(row->run_ns, taskstats_observed_ns(stats)));
    table_number(t, row->runs);
    put_number(t, row->told, row->preempted);
    put_name(t, row->preempted_by);
    put_number(t, row->preempted_by != NULL, row->preempted_by_count);
    put_number(t, row->told, row->waits);
    put_number(t, row->told, row->wakes);
    put_ready(t, row);
    put_states(t, row);
    put_jobs(t, &row->jobs, row->told);
    put_waits(t, row);
}

/* ---- the table ---- */

static void print_end(const struct taskstats *stats, FILE *out) {
    char text[HUMAN_SIZE];
    if (!taskstats_told(stats)) {
        fputs("no kernel reports states of tasks here: only run times are known\n", out);
    }
    if (taskstats_lost_ns(stats) != 0) {
        fprintf(out, "events were lost in %s of the cores' time: what ran then is unknown\n",
                human_time(text, taskstats_lost_ns(stats)));
    }
    taskstats_worst(stats, out);
}

static void put_job_columns(struct table *t, bool is_seen) {
    struct table_column shown[COUNT_OF(job_columns)];
    for (size_t i = 0; i < COUNT_OF(job_columns); i++) {
        shown[i] = job_columns[i];
        shown[i].head = is_seen ? shown[i].head : NULL;
    }
    table_columns(t, shown, COUNT_OF(shown));
}

static int write_table(const struct taskstats *stats, struct table_to *to) {
    static const struct track all = {.kind = KYMO_CONTEXT_INTERRUPT, .name = "(interrupts)"};
    struct taskstats_row interrupts = {.track = &all};
    struct table t;
    size_t count;
    bool is_periodic = false;
    const struct taskstats_row **rows = in_order(stats, &count);
    if (rows == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        is_periodic = is_periodic || has_period(rows[i]);
    }
    table_begin(&t, to, "tasks", NULL, ROWS_FOR_PEOPLE);
    table_columns(&t, columns, COUNT_OF(columns));
    put_job_columns(&t, is_periodic);
    table_columns(&t, wait_columns, COUNT_OF(wait_columns));
    table_columns(&t, reason_columns, COUNT_OF(reason_columns));
    for (size_t i = 0; i < count; i++) {
        const bool interrupt = rows[i]->track->kind == KYMO_CONTEXT_INTERRUPT;
        interrupts.run_ns += interrupt ? rows[i]->run_ns : 0;
        interrupts.runs += interrupt ? rows[i]->runs : 0;
        table_row(&t, interrupt ? TABLE_DATA : TABLE_ALL);
        put_row(&t, stats, rows[i]);
    }
    if (interrupts.runs != 0) {
        table_row(&t, TABLE_TEXT);
        put_row(&t, stats, &interrupts);
    }
    free(rows);
    const int64_t shown = table_end(&t);
    if (to->form == TABLE_TEXT) {
        print_end(stats, to->text);
    }
    return shown < 0 ? (int)shown : 0;
}

static int write(void *state, struct table_to *to) {
    const int error = taskstats_end(state);
    return error != 0 ? error : write_table(state, to);
}

static void *make(const struct view_options *options) {
    (void)options;
    return taskstats_new();
}

static int take(void *state, const struct event *event) { return taskstats_event(state, event); }

static void drop(void *state) { taskstats_free(state); }

const struct view view_tasks = {.option = "tasks",
                                .make = make,
                                .event = take,
                                .write = write,
                                .free = drop,
                                .in_report = true};
