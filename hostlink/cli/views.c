#include "cli/views.h"

#include <stdlib.h>

#include "cli/summary.h"
#include "sink/profile.h"
#include "sink/sampletable.h"
#include "sink/stacktable.h"

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

const struct view views[] = {
    {NULL, make_zones, summary_event, write_zones, free_zones},
    {"stacks", make_profile, take_profile, write_stacks, free_profile},
    {"samples", make_profile, take_profile, write_samples, free_profile},
    {0},
};
