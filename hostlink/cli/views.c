/* SPDX-License-Identifier: MIT */
/* The one list of tables: a new one is one file in sink/ and one line here. */
#include <stdlib.h>

#include "base/say.h"
#include "cli/part.h"
#include "cli/summary.h"
#include "sink/profile.h"
#include "sink/view.h"

/* ---- zones ---- */

struct zones {
    struct summary *summary;
    const struct view_options *options;
};

static void *make_zones(const struct view_options *options) {
    struct zones *zones = calloc(1, sizeof *zones);
    if (zones) {
        zones->options = options;
        zones->summary = summary_new();
    }
    if (zones && !zones->summary) {
        free(zones);
        return NULL;
    }
    return zones;
}

static int take_zone(void *state, const struct event *event) {
    return summary_event(((const struct zones *)state)->summary, event);
}

static int write_zones(void *state, struct table_to *to) {
    const struct zones *zones = state;
    const struct selection *part = zones->options->selection;
    struct zonestats *stats = zones->summary->zones;
    zonestats_span(stats, selection_span(part, zonestats_last_ns(stats)));
    zones->summary->is_part = !part_is_whole(part);
    return summary_print(zones->summary, zones->options->totals, to);
}

static void free_zones(void *state) {
    struct zones *zones = state;
    summary_free(zones->summary);
    free(zones);
}

static const struct view view_zones = {
    .make = make_zones, .event = take_zone, .write = write_zones, .free = free_zones};

/* ---- call stacks and samples ---- */

static void *make_profile(const struct view_options *options) {
    (void)options;
    return calloc(1, sizeof(struct profile));
}

static int take_profile(void *state, const struct event *event) {
    return profile_event(state, event);
}

static void say_nameless(const struct profile *profile) {
    bool called = false, named = false;
    for (uint32_t i = 0; i < profile->count && !named; i++) {
        const struct profile_node *node = &profile->nodes[i];
        const bool calls = node->kind == PROFILE_CALL;
        called = called || calls;
        named = calls && symbols_find(node->symbols, node->of.address) != NULL;
    }
    if (called && !named) {
        say("functions are shown by their addresses: give the program that ran by --elf IMAGE");
    }
}

static int write_stacks(void *state, struct table_to *to) {
    say_nameless(state);
    return stacktable_write(state, to);
}

static int write_samples(void *state, struct table_to *to) {
    say_nameless(state);
    return sampletable_write(state, to);
}

static void free_profile(void *state) {
    profile_free(state);
    free(state);
}

static const struct view view_stacks = {.option = "stacks",
                                        .make = make_profile,
                                        .event = take_profile,
                                        .write = write_stacks,
                                        .free = free_profile};
static const struct view view_samples = {.option = "samples",
                                         .make = make_profile,
                                         .event = take_profile,
                                         .write = write_samples,
                                         .free = free_profile};

extern const struct view view_frames, view_flows, view_interrupts, view_locks, view_devices,
    view_plots, view_openmetrics, view_tasks, view_memory, view_messages, view_silences,
    view_longest;

const struct view *const views[] = {&view_zones,    &view_stacks,      &view_samples, &view_frames,
                                    &view_flows,    &view_interrupts,  &view_locks,   &view_devices,
                                    &view_plots,    &view_openmetrics, &view_tasks,   &view_memory,
                                    &view_messages, &view_silences,    &view_longest, NULL};
