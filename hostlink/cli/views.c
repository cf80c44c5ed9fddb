/* SPDX-License-Identifier: MIT */
#include "cli/views.h"

#include <stdlib.h>

#include "base/say.h"
#include "cli/openmetrics.h"
#include "cli/part.h"
#include "cli/summary.h"
#include "sink/devicetable.h"
#include "sink/longest.h"
#include "sink/measuretable.h"
#include "sink/memorytable.h"
#include "sink/messagelog.h"
#include "sink/profile.h"
#include "sink/sampletable.h"
#include "sink/selection.h"
#include "sink/silences.h"
#include "sink/stacktable.h"
#include "sink/taskstats.h"

/* ---- zones ---- */

struct zones {
    struct summary *summary;
    const struct selection *selection;
};

static void *make_zones(const struct view_options *options) {
    struct zones *zones = calloc(1, sizeof *zones);
    if (zones) {
        zones->selection = options->selection;
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

static int write_zones(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    const struct zones *zones = state;
    struct zonestats *stats = zones->summary->zones;
    zonestats_span(stats, selection_span(zones->selection, zonestats_last_ns(stats)));
    zones->summary->is_part = !part_is_whole(zones->selection);
    return summary_print(zones->summary, totals, to);
}

static void free_zones(void *state) {
    struct zones *zones = state;
    summary_free(zones->summary);
    free(zones);
}

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

static int write_stacks(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    say_nameless(state);
    return stacktable_write(state, to);
}

static int write_samples(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    say_nameless(state);
    return sampletable_write(state, to);
}

static void free_profile(void *state) {
    profile_free(state);
    free(state);
}

/* ---- measurements ---- */

static void *make_measures(const struct view_options *options, unsigned wanted) {
    struct measures *measures = calloc(1, sizeof *measures);
    if (measures) {
        measures->wanted = wanted;
        measures->selection = options->selection;
    }
    return measures;
}

static void *make_frames(const struct view_options *options) {
    struct measures *measures = make_measures(options, 1u << MEASURE_FRAME);
    if (measures) {
        measures->late_ns = options->late_ns;
    }
    return measures;
}

static void *make_interrupts(const struct view_options *options) {
    return make_measures(options, 1u << MEASURE_INTERRUPT);
}

static void *make_locks(const struct view_options *options) {
    return make_measures(options, 1u << MEASURE_HOLD);
}

static void *make_plots(const struct view_options *options) {
    return make_measures(options, 1u << MEASURE_PLOT);
}

static void *make_flows(const struct view_options *options) {
    return make_measures(options, 1u << MEASURE_FLOW);
}

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

static int write_flows(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    const int error = measures_settle(state);
    return error ? error : measuretable_flows(state, to);
}

static void free_measures(void *state) {
    measures_free(state);
    free(state);
}

/* ---- all of it, for Prometheus ---- */

struct exposed {
    struct measures measures;
    struct openmetrics_images images;
};

static void *make_openmetrics(const struct view_options *options) {
    struct exposed *exposed = calloc(1, sizeof *exposed);
    if (exposed) {
        exposed->measures.wanted = (1u << MEASURES) - 1u;
        exposed->measures.selection = options->selection;
    }
    return exposed;
}

static int take_openmetrics(void *state, const struct event *event) {
    struct exposed *exposed = state;
    openmetrics_learn(&exposed->images, event);
    return measures_event(&exposed->measures, event);
}

static int write_openmetrics(void *state, const struct pipeline_totals *totals,
                             struct table_to *to) {
    struct exposed *exposed = state;
    const int error = measures_settle(&exposed->measures);
    if (error == 0) {
        openmetrics_write(to->text, &exposed->measures, totals, &exposed->images);
    }
    return error;
}

static void free_openmetrics(void *state) {
    measures_free(&((struct exposed *)state)->measures);
    free(state);
}

/* ---- tasks ---- */

static void *make_tasks(const struct view_options *options) {
    (void)options;
    return taskstats_new();
}

static int take_task(void *state, const struct event *event) {
    return taskstats_event(state, event);
}

static int write_tasks(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    const int error = taskstats_end(state);
    return error != 0 ? error : taskstats_write(state, to);
}

static void free_tasks(void *state) { taskstats_free(state); }

/* ---- devices ---- */

static void *make_devices(const struct view_options *options) {
    struct devicetable *devices = calloc(1, sizeof *devices);
    if (devices) {
        devices->selection = options->selection;
    }
    return devices;
}

static int take_device(void *state, const struct event *event) {
    return devicetable_event(state, event);
}

static int write_devices(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    return devicetable_write(state, to);
}

static void free_devices(void *state) {
    devicetable_free(state);
    free(state);
}

/* ---- memory and messages ---- */

static void *make_memory(const struct view_options *options) {
    struct memorytable *memory = calloc(1, sizeof *memory);
    if (memory) {
        memory->selection = options->selection;
    }
    return memory;
}

static int take_memory(void *state, const struct event *event) {
    return memorytable_event(state, event);
}

static int write_memory(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    return memorytable_write(state, to);
}

static void free_memory(void *state) {
    memorytable_free(state);
    free(state);
}

static void *make_messages(const struct view_options *options) {
    struct messagelog *log = calloc(1, sizeof *log);
    if (log) {
        log->least = options->level;
        log->part = options->text;
    }
    return log;
}

static int take_message(void *state, const struct event *event) {
    return messagelog_event(state, event);
}

static int write_messages(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    return messagelog_write(state, to);
}

static void free_messages(void *state) {
    messagelog_free(state);
    free(state);
}

/* ---- the longest times without an event ---- */

static void *make_silences(const struct view_options *options) {
    return silences_new(options->selection, options->top);
}

static int take_silence(void *state, const struct event *event) {
    return silences_event(state, event);
}

static int write_silences(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    return silences_write(state, to);
}

static void free_silences(void *state) { silences_free(state); }

/* ---- the longest runs ---- */

static void *make_longest(const struct view_options *options) {
    return longest_new(options->longest, options->top, options->selection);
}

static int find_longest(void *state, const struct event *event) {
    return longest_find(state, event);
}

static int explain_longest(void *state, const struct event *event) {
    return longest_explain(state, event);
}

static int write_longest(void *state, const struct pipeline_totals *totals, struct table_to *to) {
    (void)totals;
    return longest_write(state, to);
}

static void free_longest(void *state) { longest_free(state); }

const struct view views[] = {
    {NULL, make_zones, NULL, take_zone, false, false, write_zones, free_zones},
    {"stacks", make_profile, NULL, take_profile, false, false, write_stacks, free_profile},
    {"samples", make_profile, NULL, take_profile, false, false, write_samples, free_profile},
    {"frames", make_frames, NULL, take_measure, false, true, write_frames, free_measures},
    {"flows", make_flows, NULL, take_measure, false, true, write_flows, free_measures},
    {"interrupts", make_interrupts, NULL, take_measure, false, true, write_interrupts,
     free_measures},
    {"locks", make_locks, NULL, take_measure, false, true, write_locks, free_measures},
    {"devices", make_devices, NULL, take_device, false, false, write_devices, free_devices},
    {"plots", make_plots, NULL, take_measure, false, true, write_plots, free_measures},
    {"openmetrics", make_openmetrics, NULL, take_openmetrics, false, false, write_openmetrics,
     free_openmetrics},
    {"tasks", make_tasks, NULL, take_task, false, true, write_tasks, free_tasks},
    {"memory", make_memory, NULL, take_memory, true, true, write_memory, free_memory},
    {"messages", make_messages, NULL, take_message, false, true, write_messages, free_messages},
    {"silences", make_silences, NULL, take_silence, true, true, write_silences, free_silences},
    {"longest", make_longest, find_longest, explain_longest, true, true, write_longest,
     free_longest},
    {0},
};
