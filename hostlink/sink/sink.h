/* SPDX-License-Identifier: MIT */
/* An output: a format, and the consumer that writes it. */
#ifndef HOSTLINK_SINK_H
#define HOSTLINK_SINK_H

#include <stdbool.h>

#include "model/consumer.h"

struct sink {
    const char *name;     /* "perfetto" */
    const char *suffixes; /* file names that choose it: ".pftrace .perfetto-trace" */
    const char *help;     /* one line for --help */
    /* 0, or a negative errno value; "path" "-" is standard output. */
    int (*open)(struct consumer *consumer, const char *path);
    bool is_folder; /* "path" is one, which may be there; never "-" */
};

/* The one list, ended by NULL. */
extern const struct sink *const sinks[];

/* The sink that the end of "path" names, or NULL. */
const struct sink *sink_for_path(const char *path);

#endif
