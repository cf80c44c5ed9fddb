/* SPDX-License-Identifier: MIT */
/* An output: a format, and what writes it. */
#ifndef HOSTLINK_SINK_H
#define HOSTLINK_SINK_H

#include <stdbool.h>

#include "model/consumer.h"

struct sink {
    const char *name;     /* "perfetto" */
    const char *suffixes; /* file names that choose it: ".pftrace .perfetto-trace" */
    const char *help;     /* one line for --help */
    bool is_folder;       /* the path is one, which may be there, never "-" */
    /* Size of the state, which starts as zero except its first member: a struct outfile *, or the path of a folder. */
    size_t size;
    /* 0, or -errno when nothing is to be freed. NULL: nothing to do. */
    int (*begin)(void *state);
    /* As in struct consumer. */
    int (*event)(void *state, const struct event *event);
    /* Writes the rest and frees what the state holds. 0 or -errno. NULL: nothing to do. */
    int (*end)(void *state);
};

/* A consumer that writes to "path"; "-" is standard output. 0 or -errno. */
int sink_open(const struct sink *sink, struct consumer *consumer, const char *path);

/* The one list, ended by NULL. */
extern const struct sink *const sinks[];

/* The sink that the end of "path" names, or NULL. */
const struct sink *sink_for_path(const char *path);

#endif
