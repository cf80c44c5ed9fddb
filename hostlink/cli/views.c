#include "cli/views.h"

#include <stdlib.h>

#include "cli/summary.h"
#include "sink/measuretable.h"
#include "sink/profile.h"
#include "sink/sampletable.h"
#include "sink/stacktable.h"
#include "sink/taskstats.h"

/* ---- zones ---- */

static void *make_zones(void) { return summary_new(); }

static int write_zones(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    return summary_print(state, totals, to);
}

static void free_zones(void *state) { summary_free(state); }

/* ---- call stacks and samples ---- */

static void *make_profile(void) { return calloc(1, sizeof(struct profile)); }

static int take_profile(void *state, const struct event *event) {
    return profile_event(state, event);
}

static int write_stacks(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    return stacktable_write(state, to);
}

static int write_samples(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    return sampletable_write(state, to);
}

static void free_profile(void *state) {
    profile_free(state);
    free(state);
}

/* ---- what was measured ---- */

static void *make_measures(unsigned wanted) {
    struct measures *measures = calloc(1, sizeof *measures);
    if (measures) {
        measures->wanted = wanted;
    }
    return measures;
}

static void *make_frames(void) { return make_measures(1u << MEASURE_FRAME); }
static void *make_interrupts(void) { return make_measures(1u << MEASURE_INTERRUPT); }
static void *make_locks(void) { return make_measures(1u << MEASURE_HOLD); }
static void *make_plots(void) { return make_measures(1u << MEASURE_PLOT); }

static int take_measure(void *state, const struct event *event) {
    return measures_event(state, event);
}

static int write_frames(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    const int error = measures_settle(state);
    return error ? error : measuretable_frames(state, to);
}

static int write_interrupts(void *state, const struct pipeline_totals *totals,
                            struct table_to *to) {
    (void)totals;
    const int error = measures_settle(state);
    return error ? error : measuretable_interrupts(state, to);
}

static int write_locks(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    const int error = measures_settle(state);
    return error ? error : measuretable_locks(state, to);
}

static int write_plots(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    const int error = measures_settle(state);
    return error ? error : measuretable_plots(state, to);
}

static void free_measures(void *state) {
    measures_free(state);
    free(state);
}

/* ---- tasks ---- */

static void *make_tasks(void) { return taskstats_new(); }

static int take_task(void *state, const struct event *event) {
    return taskstats_event(state, event);
}

static int write_tasks(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    const int error = taskstats_end(state);
    return error != 0 ? error : taskstats_write(state, to);
}

static void free_tasks(void *state) { taskstats_free(state); }

const struct view views[] = {
    {NULL, make_zones, summary_event, write_zones, free_zones},
    {"stacks", make_profile, take_profile, write_stacks, free_profile},
    {"samples", make_profile, take_profile, write_samples, free_profile},
    {"frames", make_frames, take_measure, write_frames, free_measures},
    {"interrupts", make_interrupts, take_measure, write_interrupts, free_measures},
    {"locks", make_locks, take_measure, write_locks, free_measures},
    {"plots", make_plots, take_measure, write_plots, free_measures},
    {"tasks", make_tasks, take_task, write_tasks, free_tasks},
    {0},
};
