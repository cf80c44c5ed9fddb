/* SPDX-License-Identifier: MIT */
/* The messages of a capture as a log: time, level, context and text. Memory grows with the messages kept. */
#ifndef HOSTLINK_MESSAGELOG_H
#define HOSTLINK_MESSAGELOG_H

#include "model/event.h"
#include "sink/table.h"

struct message {
    int64_t time_ns;
    const struct track *track;
    uint8_t level;
    size_t text; /* where it is in the log's texts, ended by NUL */
};

/* All zero, except the settings, is empty. */
struct messagelog {
    uint8_t least;    /* level */
    const char *part; /* the text must contain it, NULL: any */
    struct message *list;
    uint32_t count, capacity;
    char *texts;
    size_t used, size;
};

/* The number of a level by its name, -1 for another name. */
int messagelog_level(const char *name);
#define MESSAGELOG_LEVELS "trace, debug, info, warning, error, fatal and crash"

/* Any event. 0 or -ENOMEM, as for the next. */
int messagelog_event(struct messagelog *log, const struct event *event);
int messagelog_write(struct messagelog *log, struct table_to *to);
void messagelog_free(struct messagelog *log);

#endif
