/* SPDX-License-Identifier: MIT */
/* The messages of a capture as a log: time, level, context and text. Memory grows with the messages kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "sink/view.h"

struct message {
    int64_t time_ns;
    const struct track *track;
    uint8_t level;
    size_t text; /* where it is in the log's texts, ended by NUL */
};

struct log {
    uint8_t least;    /* level */
    const char *part; /* the text must contain it, NULL: any */
    struct message *list;
    uint32_t count, capacity;
    char *texts;
    size_t used, size;
};

static void *make(const struct view_options *options) {
    struct log *log = calloc(1, sizeof *log);
    if (log) {
        log->least = options->level;
        log->part = options->text;
    }
    return log;
}

static bool reserve(struct log *log, size_t length) {
    if (!grow(&log->list, &log->capacity, log->count, sizeof *log->list)) {
        return false;
    }
    if (log->used + length > log->size) {
        const size_t size = (log->used + length) * 2;
        char *texts = realloc(log->texts, size);
        if (!texts) {
            return false;
        }
        log->texts = texts;
        log->size = size;
    }
    return true;
}

static int take(void *state, const struct event *event) {
    struct log *log = state;
    if (event->kind != EVENT_MESSAGE && event->kind != EVENT_MESSAGE_TEXT) {
        return 0;
    }
    const size_t length = event->u.text.length;
    if (event->site->level < log->least ||
        (log->part && memmem(event->u.text.bytes, length, log->part, strlen(log->part)) == NULL)) {
        return 0;
    }
    if (!reserve(log, length + 1)) {
        return -ENOMEM;
    }
    log->list[log->count++] =
        (struct message){event->time_ns, event->track, event->site->level, log->used};
    memcpy(log->texts + log->used, event->u.text.bytes, length);
    log->texts[log->used + length] = '\0';
    log->used += length + 1;
    return 0;
}

/* Events of different tracks may come out of order; equal times stay as they came. */
static int by_time(const void *left, const void *right) {
    const struct message *a = left, *b = right;
    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns ? -1 : 1;
    }
    return a->text < b->text ? -1 : a->text > b->text;
}

static int write(void *state, struct table_to *to) {
    static const struct table_column columns[] = {
        {"at_ns", "time", TABLE_AT, 0, 0, 0},
        {"level", "level", TABLE_NAME, 0, 0, 0},
        {"context", "context", TABLE_NAME, 0, 24, 0},
        {"text", "message", TABLE_NAME, 0, 0, 0},
    };
    const struct log *log = state;
    struct table t;
    if (log->count > 0) {
        qsort(log->list, log->count, sizeof *log->list, by_time);
    }
    table_begin(&t, to, "messages", NULL, 0);
    table_columns(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < log->count; i++) {
        const struct message *message = &log->list[i];
        table_row(&t, TABLE_ALL);
        table_integer(&t, message->time_ns);
        table_text(&t, event_level_word(message->level));
        table_text(&t, message->track->name);
        table_text(&t, log->texts + message->text);
    }
    return table_end_or(&t, "no such message was seen");
}

static void drop(void *state) {
    struct log *log = state;
    free(log->list);
    free(log->texts);
    free(log);
}

const struct view view_messages = {.option = "messages",
                                   .make = make,
                                   .event = take,
                                   .write = write,
                                   .free = drop,
                                   .in_report = true};
