/* SPDX-License-Identifier: MIT */
/* The one list of outputs: a new format is one file sink_NAME.c and one line here. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sink/outfile.h"
#include "sink/sink.h"

extern const struct sink sink_perfetto, sink_chrome, sink_csv_events, sink_csv, sink_folded,
    sink_folded_memory, sink_folded_samples, sink_pprof, sink_speedscope, sink_ctf, sink_device_log,
    sink_device_log_12, sink_device_log_13, sink_otlp, sink_ops_perf, sink_firefox, sink_btf;

/* In the order of help. Of the suffixes that fit the longest counts. */
const struct sink *const sinks[] = {&sink_perfetto,   &sink_chrome,        &sink_csv_events,
                                    &sink_csv,        &sink_folded,        &sink_speedscope,
                                    &sink_firefox,    &sink_folded_memory, &sink_folded_samples,
                                    &sink_pprof,      &sink_ctf,           &sink_btf,
                                    &sink_device_log, &sink_device_log_13, &sink_device_log_12,
                                    &sink_otlp,       &sink_ops_perf,      NULL};

static bool ends_with(const char *path, size_t length, const char *suffix, size_t suffix_length) {
    /* More than the bare suffix: ".csv" is a hidden file without a suffix. */
    return length >= suffix_length + (suffix[0] == '.' ? 1 : 0) &&
           memcmp(path + length - suffix_length, suffix, suffix_length) == 0;
}

/* The length of the longest of the suffixes that the path ends with, 0 = none. */
static size_t suffix_of(const char *path, const struct sink *sink) {
    const char *suffixes = sink->suffixes;
    size_t longest = 0, path_length = strlen(path);
    /* A shell completes the name of a folder so. */
    while (sink->is_folder && path_length > 1 && path[path_length - 1] == '/') {
        path_length--;
    }
    while (*suffixes != '\0') {
        const size_t length = strcspn(suffixes, " ");
        if (length > longest && ends_with(path, path_length, suffixes, length)) {
            longest = length;
        }
        suffixes += length;
        suffixes += strspn(suffixes, " ");
    }
    return longest;
}

const struct sink *sink_for_path(const char *path) {
    const struct sink *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; sinks[i]; i++) {
        const size_t length = suffix_of(path, sinks[i]);
        if (length > longest) {
            longest = length;
            best = sinks[i];
        }
    }
    return best;
}

/* ---- an output that is written ---- */

/* The state of the sink comes after it. */
struct opened {
    _Alignas(max_align_t) const struct sink *sink;
};

static int close_state(struct opened *opened, int error) {
    void **const first = (void **)(opened + 1);
    if (opened->sink->is_folder) {
        free(*first);
    } else {
        (void)outfile_fail(*first, error);
        error = outfile_close(*first);
    }
    free(opened);
    return error;
}

static int close_sink(void *state) {
    struct opened *opened = (struct opened *)state - 1;
    return close_state(opened, opened->sink->end ? opened->sink->end(state) : 0);
}

static int open_path(const struct sink *sink, void **first, const char *path) {
    if (sink->is_folder) {
        *first = strdup(path);
        return *first ? 0 : -ENOMEM;
    }
    struct outfile *out = NULL;
    const int error = outfile_open(&out, path);
    *first = out;
    return error;
}

int sink_open(const struct sink *sink, struct consumer *consumer, const char *path) {
    struct opened *opened = calloc(1, sizeof *opened + sink->size);
    if (!opened) {
        return -ENOMEM;
    }
    void *const state = opened + 1;
    opened->sink = sink;
    int error = open_path(sink, state, path);
    if (error != 0) {
        free(opened);
        return error;
    }
    error = sink->begin ? sink->begin(state) : 0;
    if (error != 0) {
        (void)close_state(opened, error);
        return error;
    }
    *consumer = (struct consumer){
        .name = sink->name, .state = state, .event = sink->event, .close = close_sink};
    return 0;
}
