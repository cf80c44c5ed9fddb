/* The contract of an output. A sink writes one format and knows nothing of where events come from.
 * Order of calls: open, event ..., close; or open, event ..., and no close if the program dies. */
#ifndef HOSTLINK_SINK_H
#define HOSTLINK_SINK_H

#include "trace/event.h"

struct sink {
    const char *name;     /* "perfetto" */
    const char *suffixes; /* file names that choose it: ".pftrace .perfetto-trace" */
    const char *help;     /* one line for --help */
    /* 0, or a negative errno value; "path" "-" is standard output. */
    int (*open)(void **state, const char *path);
    /* Events of one track come in the order of time; those of different tracks may not. 0 or
     * -errno. */
    int (*event)(void *state, const struct event *event);
    /* Completes and frees; called once for each successful open. 0 or -errno of any write
     * before. */
    int (*close)(void *state);
};

/* The one list, ended by NULL. */
extern const struct sink *const sinks[];

/* The sink that the end of "path" names, or NULL. */
const struct sink *sink_for_path(const char *path);

#endif
