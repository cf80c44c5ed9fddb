/* SPDX-License-Identifier: MIT */
#include "sink/messagelog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const char *const levels[] = {"trace", "debug", "info", "warning",
                                     "error", "fatal", "crash"};
#define LEVELS (sizeof levels / sizeof *levels)

int messagelog_level(const char *name) {
    for (size_t i = 0; i < LEVELS; i++) {
        if (strcmp(levels[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static bool reserve(struct messagelog *log, size_t length) {
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

int messagelog_event(struct messagelog *log, const struct event *event) {
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

int messagelog_write(struct messagelog *log, struct table_to *to) {
    static const struct table_column columns[] = {
        {"at_ns", "time", TABLE_AT, 0, 0, 0},
        {"level", "level", TABLE_NAME, 0, 0, 0},
        {"context", "context", TABLE_NAME, 0, 24, 0},
        {"text", "message", TABLE_NAME, 0, 0, 0},
    };
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
        table_text(&t, message->level < LEVELS ? levels[message->level] : "unknown");
        table_text(&t, message->track->name);
        table_text(&t, log->texts + message->text);
    }
    const int64_t shown = table_end(&t);
    if (shown == 0 && to->form == TABLE_TEXT) {
        fputs("no such message was seen\n", to->text);
    }
    return shown < 0 ? (int)shown : 0;
}

void messagelog_free(struct messagelog *log) {
    free(log->list);
    free(log->texts);
    *log = (struct messagelog){0};
}
