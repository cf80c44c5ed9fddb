/* SPDX-License-Identifier: MIT */
/* A recorded stream as events: a first pass learns the names, so that the second can give every event with them, also
 * events before its name. Names of tasks and objects are in events: outputs that were made before such a name came
 * are made again. */
#ifndef HOSTLINK_CONVERT_H
#define HOSTLINK_CONVERT_H

#include "capture/replay.h"
#include "model/consumer.h"
#include "sink/output.h"
#include "trace/pipeline.h"

struct selection;

/* Receivers of the events, and sources of names that the stream does not have; each may be NULL. */
struct receivers {
    const struct known_image *image;
    const struct symbols *symbols;   /* of the program that ran, where there is no image */
    struct outputs *outputs;         /* opened and completed */
    struct selection *part;          /* of the capture, that the outputs get; NULL: all of it */
    const struct consumer *consumer; /* polled, stepped and closed by the caller */
    void (*notice)(void *nothing, const char *text);         /* as in pipeline.h */
    void (*large)(void *context, const struct large *large); /* one that has ended */
    void *large_context;
    /* The same as in pipeline.h, in the second pass; "context" is the consumer's state, and there are no outputs. */
    int (*host)(void *context, const struct host_mark *mark);
    /* Gets the events of the first pass; not all have their names yet. NULL: that pass makes no events. */
    int (*learn)(void *context, const struct event *event);
    void *learn_context;
};

struct boards;

/* For a capture of several boards the two pipelines are NULL. */
struct conversion {
    struct boards *boards;         /* NULL: of one */
    struct pipeline *names;        /* of the first pass, NULL if they were given */
    struct pipeline *pipeline;     /* of the second: the strings of its events live in it */
    struct pipeline_totals totals; /* of the second */
};

/* Both passes; the second only if the first heard a board, else no output is made. "names": a pipeline that has
 * already read these bytes replaces the first pass (of one board); it must outlive the conversion; or NULL. 0, or
 * -errno, which was reported. Call conversion_free() in any case. */
int conversion_run(struct conversion *conversion, struct replay *replay,
                   const struct pipeline *names, const struct receivers *receivers);
void conversion_free(struct conversion *conversion);

#endif
