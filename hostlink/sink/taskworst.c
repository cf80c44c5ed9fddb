/* SPDX-License-Identifier: MIT */
/* The worst that the statistics of tasks show, in a line each. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/utf8.h"
#include "sink/taskstats_state.h"

/* An interrupt is a storm if it took a quarter of its core in this time, with many times its usual entries. */
#define WINDOW_NS INT64_C(10000000)
#define STORM_SHARE 4u
#define STORM_TIMES 8u
#define STORM_ENTRIES 20u
#define BURST_NS (WINDOW_NS / STORM_ENTRIES) /* from one entry of a storm to the next, at most */

#define NAME_BYTES 128

/* ---- collecting ---- */

void task_worst_lock(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns) {
    struct taskstats_row *holder = taskstats_known(stats, row->other);
    const uint64_t ns = (uint64_t)(time_ns - row->since_ns);
    if (holder == NULL || row->object == NULL || !row->has_base || ns <= stats->inversion.ns) {
        return;
    }
    const struct task_core *core = taskstats_core(stats, holder->track->core);
    const struct task_log_query query = {row->since_ns, time_ns, row, holder, stats->greater_first};
    struct task_inversion found = {.link = {row, row->object, holder},
                                   .holder_base = holder->base,
                                   .wait = {.at_ns = row->since_ns, .ns = ns}};
    found.ns = core != NULL ? task_log_sum(&core->log, &query, ++stats->scans, &found.wait) : 0;
    if (found.ns > stats->inversion.ns) {
        found.by_base = found.wait.by->base;
        stats->inversion = found;
    }
}

void task_worst_ready(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns) {
    const uint64_t ns = (uint64_t)(time_ns - row->since_ns);
    if (row->track->kind == KYMO_CONTEXT_IDLE || ns < (uint64_t)TASKSTATS_STARVED_NS ||
        ns <= stats->starved.ready.ns) {
        return;
    }
    const struct task_core *core = taskstats_core(stats, row->track->core);
    const struct task_log_query query = {row->since_ns, time_ns, row, NULL, false};
    stats->starved = (struct task_starved){.row = row, .ready = {.at_ns = row->since_ns, .ns = ns}};
    if (core != NULL) {
        (void)task_log_sum(&core->log, &query, ++stats->scans, &stats->starved.ready);
    }
}

void task_worst_deadlock(struct taskstats *stats, struct taskstats_row *row, int64_t time_ns) {
    const struct taskstats_row *waiter = row;
    uint32_t length = 0;
    if (stats->chain_length != 0) {
        return;
    }
    do {
        const struct taskstats_row *holder = taskstats_known(stats, waiter->other);
        stats->chain[length++] = (struct task_link){waiter, waiter->object, holder};
        waiter = holder;
    } while (waiter != NULL && waiter != row && waiter->object != NULL && length < TASK_CHAIN_MAX);
    stats->chain_length = length;
    stats->chain_ns = time_ns;
}

/* Entries within BURST_NS of each other form a burst. */
static void add_to_burst(struct taskstats_row *row, int64_t time_ns) {
    struct taskstats_burst *burst = &row->burst;
    if (burst->count == 0 || time_ns - burst->to_ns > BURST_NS) {
        *burst = (struct taskstats_burst){.from_ns = time_ns};
    }
    burst->to_ns = time_ns;
    burst->count++;
    if (burst->count > row->window_burst.count) {
        row->window_burst = *burst;
    }
    if (burst->from_ns == row->storm.from_ns) { /* it goes on after the busiest window */
        row->storm = *burst;
    }
}

static void end_window(struct taskstats_row *row) {
    if (row->window.count != 0 && row->window.ns > row->busiest.ns) {
        row->busiest = row->window;
        row->busiest_ns = row->window_ns;
        row->storm = row->window_burst;
    }
}

int task_worst_enters(struct taskstats_row *row, int64_t time_ns) {
    if (row->window.count != 0 && time_ns - WINDOW_NS < row->window_ns) {
        row->window.count++;
        add_to_burst(row, time_ns);
        return 0;
    }
    end_window(row);
    row->windows = row->windows != NULL ? row->windows : calloc(1, sizeof *row->windows);
    const uint64_t count = row->window.count;
    row->window = (struct taskstats_sum){.count = 1};
    row->window_ns = time_ns;
    row->window_burst.count = 0;
    if (time_ns != INT64_MAX) {
        add_to_burst(row, time_ns);
    }
    return row->windows == NULL ? -ENOMEM : count == 0 ? 0 : histogram_add(row->windows, count);
}

/* ---- printing ---- */

static void print_clean(FILE *out, const char *text) {
    char clean[NAME_BYTES];
    utf8_clean(clean, sizeof clean, text, strlen(text));
    fputs(clean, out);
}

static void print_priority(FILE *out, const struct taskstats_row *row, const char *word,
                           int32_t base) {
    if (row->has_base) {
        fprintf(out, " (%s%" PRId32 ")", word, base);
    }
}

static void print_time(FILE *out, const char *before, uint64_t ns) {
    char text[HUMAN_SIZE];
    fprintf(out, "%s%s", before, human_time(text, ns));
}

/* Where a viewer finds it. */
static void print_place(FILE *out, const char *what, int64_t at_ns) {
    fprintf(out, "%s at %.6f s: ", what, (double)at_ns / 1e9);
}

/* "lock bus", also where "lock 0x20001000" is its name for lack of another. */
static void print_object(FILE *out, const struct object *object) {
    if (object->named) {
        fprintf(out, "%s ", object_class_word(object->of));
    }
    print_clean(out, object->name);
}

static void print_inversion(const struct task_inversion *found, FILE *out) {
    print_place(out, "priority inversion", found->wait.at_ns);
    fputs("task ", out);
    print_clean(out, found->link.waiter->track->name);
    print_time(out, " waited ", found->wait.ns);
    fputs(" for ", out);
    print_object(out, found->link.object);
    fputs(", held by ", out);
    print_clean(out, found->link.holder->track->name);
    print_priority(out, found->link.holder, "priority ", found->holder_base);
    fputs(", while ", out);
    print_clean(out, found->wait.by->track->name);
    print_priority(out, found->wait.by, "", found->by_base);
    print_time(out, " ran ", found->wait.by_ns);
    fputc('\n', out);
}

static void print_deadlock(const struct taskstats *stats, FILE *out) {
    print_place(out, "deadlock", stats->chain_ns);
    for (uint32_t i = 0; i < stats->chain_length; i++) {
        const struct task_link *link = &stats->chain[i];
        fputs(i == 0 ? "task " : ", which waits for ", out);
        if (i == 0) {
            print_clean(out, link->waiter->track->name);
            fputs(" waits for ", out);
        }
        print_object(out, link->object);
        if (link->holder != NULL) {
            fputs(", held by ", out);
            print_clean(out, link->holder->track->name);
        }
    }
    fputc('\n', out);
}

static void print_missed(const struct task_missed *missed, FILE *out) {
    const struct taskstats_jobs *jobs = &missed->row->jobs;
    print_place(out, "deadline missed", missed->job.at_ns);
    fputs("task ", out);
    print_clean(out, missed->row->track->name);
    print_time(out, missed->is_unfinished ? " is not done after " : " took ", missed->job.ns);
    print_time(out,
               missed->is_unfinished ? " when the trace ends, its deadline is "
                                     : ", its deadline is ",
               missed->deadline_ns);
    fprintf(out, ", %" PRIu64 " of %" PRIu64 " were late", jobs->missed, jobs->count);
    if (jobs->unfinished != 0 && !missed->is_unfinished) {
        fputs(" (one is not done when the trace ends)", out);
    }
    if (missed->job.by != NULL) {
        fputs(", while ", out);
        print_clean(out, missed->job.by->track->name);
        print_priority(out, missed->job.by, "", missed->job.by->base);
        print_time(out, " ran ", missed->job.by_ns);
    }
    fputc('\n', out);
}

static void print_starved(const struct task_starved *starved, FILE *out) {
    print_place(out, "starvation", starved->ready.at_ns);
    fputs("task ", out);
    print_clean(out, starved->row->track->name);
    print_priority(out, starved->row, "priority ", starved->row->base);
    print_time(out, " was ready for ", starved->ready.ns);
    fputs(" and did not run", out);
    if (starved->ready.by != NULL) {
        fputs(", while ", out);
        print_clean(out, starved->ready.by->track->name);
        print_priority(out, starved->ready.by, "", starved->ready.by->base);
        print_time(out, " ran ", starved->ready.by_ns);
    }
    fputc('\n', out);
}

/* Entries in a window of the middle: most have none. */
static uint64_t usual_entries(const struct taskstats *stats, const struct taskstats_row *row) {
    const uint64_t all = (uint64_t)((taskstats_end_ns(stats, row) - stats->first_ns) / WINDOW_NS);
    const uint64_t busy = row->windows->count, empty = all > busy ? all - busy : 0;
    const uint64_t rank = all / 2;
    return rank < empty || busy == 0
               ? 0
               : histogram_percentile(row->windows, (unsigned)(100 * (rank - empty) / busy));
}

static bool is_storm(const struct taskstats *stats, const struct taskstats_row *row) {
    return row->windows != NULL && row->busiest.ns >= (uint64_t)WINDOW_NS / STORM_SHARE &&
           row->busiest.count >= STORM_ENTRIES &&
           row->busiest.count >= STORM_TIMES * usual_entries(stats, row);
}

/* How long it lasted. Not where it usually comes as closely. */
static void print_extent(const struct taskstats_row *row, uint64_t usual, FILE *out) {
    const struct taskstats_burst *burst = &row->storm;
    char rate[HUMAN_SIZE];
    if (usual < STORM_ENTRIES && burst->to_ns > burst->from_ns) {
        const double hz =
            1e9 * (double)(burst->count - 1) / (double)(burst->to_ns - burst->from_ns);
        fprintf(out, "; %" PRIu64 " times from %.6f s to %.6f s, at %s", burst->count,
                (double)burst->from_ns / 1e9, (double)burst->to_ns / 1e9,
                human_number(rate, hz, "Hz"));
    }
}

static void print_storm(const struct taskstats *stats, FILE *out) {
    const struct taskstats_row *worst = NULL;
    for (uint32_t i = 0; i < stats->count; i++) {
        const struct taskstats_row *row = stats->rows[i];
        const bool worse = row != NULL && (worst == NULL || row->busiest.ns > worst->busiest.ns);
        worst = worse && is_storm(stats, row) ? row : worst;
    }
    if (worst != NULL) {
        const uint64_t usual = usual_entries(stats, worst);
        print_place(out, "interrupt storm", worst->busiest_ns);
        print_clean(out, worst->track->name);
        fprintf(out, " came %" PRIu64 " times within 10 ms and took", worst->busiest.count);
        print_time(out, " ", worst->busiest.ns);
        fprintf(out, " of core %" PRIu32 ", usually %" PRIu64 " %s", worst->track->core, usual,
                human_noun(usual, "time", "times"));
        print_extent(worst, usual, out);
        fputc('\n', out);
    }
}

void taskstats_worst(const struct taskstats *stats, FILE *out) {
    if (stats->chain_length != 0) {
        print_deadlock(stats, out);
    }
    if (stats->inversion.ns != 0) {
        print_inversion(&stats->inversion, out);
    }
    if (stats->missed.row != NULL) {
        print_missed(&stats->missed, out);
    }
    if (stats->starved.row != NULL) {
        print_starved(&stats->starved, out);
    }
    print_storm(stats, out);
}
