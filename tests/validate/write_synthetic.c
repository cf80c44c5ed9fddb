/* SPDX-License-Identifier: MIT */
/* Writes the made-up events to files, each in the format that its name asks for, and prints what they
 * hold as JSON. For the tests with readers that are not ours.
 * Usage: write_synthetic ROUNDS FILE ... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink/sink.h"
#include "unit/synthetic_events.h"

static int write_file(const char *path, unsigned rounds, struct synthetic_counts *counts) {
    const struct sink *sink = sink_for_path(path);
    struct consumer output;
    if (!sink) {
        fprintf(stderr, "%s: no format has this suffix\n", path);
        return -1;
    }
    int error = sink_open(sink, &output, path);
    if (!error) {
        error = synthetic_events(output.event, output.state, rounds, counts);
        int close_error = output.close(output.state);
        error = error ? error : close_error;
    }
    if (error) {
        fprintf(stderr, "%s: %s\n", path, strerror(-error));
    }
    return error;
}

/* The names that outputs.py has for them. */
static void print_counts(const struct synthetic_counts *counts) {
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {
        {"repaired", counts->repaired},
        {"messages", counts->messages},
        {"plots", counts->plots},
        {"not_finite", counts->not_finite},
        {"frames", counts->frames + counts->discontinuous_frames},
        {"memory", counts->allocs + counts->frees},
        {"app_infos", counts->app_infos},
        {"gaps", counts->gaps},
        {"lost", counts->lost},
        {"interrupts", counts->interrupts},
        {"sessions", counts->sessions},
        {"called", counts->called},
        {"samples", counts->samples},
        {"sampled", counts->sampled},
        {"late_samples", counts->late_samples},
        {"zones", counts->zones},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        printf("%s\"%s\": %" PRIu64, i == 0 ? "{" : ", ", rows[i].name, rows[i].count);
    }
    printf("}\n");
}

int main(int argc, char **argv) {
    struct synthetic_counts counts = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: write_synthetic ROUNDS FILE ...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        if (write_file(argv[i], (unsigned)strtoul(argv[1], NULL, 10), &counts) != 0) {
            return 1;
        }
    }
    print_counts(&counts);
    return 0;
}
