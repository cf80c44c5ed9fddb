/* SPDX-License-Identifier: MIT */
/* Answers to a viewer's queries. A query for a name waits a moment if the board has not sent the name yet; a query
 * for a symbol waits for the program that looks it up. */
#ifndef HOSTLINK_TRACY_QUERY_H
#define HOSTLINK_TRACY_QUERY_H

#include <stdint.h>

#include "tracy/encode.h"
#include "tracy/source_code.h"

/* A viewer has at most 8192 - 4 questions open (TracyWorker.cpp, m_serverQuerySpaceLeft). */
#define TRACY_WAITING_MAX 8192u
/* How long an answer waits for a missing name; and for a thread's name, which may change, while
 * the viewer takes it only once. */
#define TRACY_NAME_PATIENCE_MS 10000
#define TRACY_THREAD_PATIENCE_MS 500
/* Longest time for symbols in a row; then events go on. */
#define TRACY_FRAMES_NS UINT64_C(20000000)

struct tracy_question {
    enum tracy_query query;
    uint64_t key;
    int64_t due_ms; /* when it is answered at the latest */
};

struct tracy_waiting {
    struct tracy_question questions[TRACY_WAITING_MAX];
    uint32_t first, count;
};

/* Text that the viewer sends in pieces: the name of the file that it asks for next. */
struct tracy_transfer {
    char text[4096];
    uint64_t size; /* announced, with the NUL */
    uint64_t used; /* so far; more than fits is only counted */
};

#define TRACY_LATE_SOURCES_MAX 64u

/* A file that may still be published; the viewer never asks for one again. */
struct tracy_late_source {
    uint32_t id;
    int64_t due_ms;
    char name[256];
};

struct tracy_published;

struct tracy_answers {
    struct tracy_encode *encode;
    const struct tracy_published *published;    /* searched before the folders; NULL: none */
    const struct tracy_source_folders *folders; /* NULL: no source code is given */
    int64_t sources_before_s; /* source files that are newer are not those of the board's program */
    void *context;
    void (*notice)(void *context, const char *text);                 /* may be NULL */
    void (*set_param)(void *context, uint32_t index, int32_t value); /* may be NULL */
    struct tracy_waiting places; /* source locations must be answered in order */
    struct tracy_waiting names, threads;
    struct tracy_waiting frames; /* and symbols: both by address */
    struct tracy_transfer transfer;
    struct tracy_late_source late[TRACY_LATE_SOURCES_MAX];
    uint32_t late_count;
    bool newer_said;
    uint8_t source[TRACY_SOURCE_BYTES_MAX];
};

/* A new viewer has asked nothing. */
void tracy_answers_begin(struct tracy_answers *answers);

/* One packet of TRACY_QUERY_BYTES; TRACY_QUERY_TERMINATE and _DISCONNECT are not for here. 0, or
 * -EPROTO for a query that no viewer of this protocol sends. */
int tracy_answer(struct tracy_answers *answers, enum tracy_query query, uint64_t key,
                 uint32_t extra, int64_t now_ms);
/* Answers waiting queries whose name has come or whose time is over; or "all", except symbols, which others
 * time out. Returns true if it answered any. */
bool tracy_answer_waiting(struct tracy_answers *answers, int64_t now_ms, bool all);

#endif
