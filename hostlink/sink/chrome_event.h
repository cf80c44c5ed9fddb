/* SPDX-License-Identifier: MIT */
/* One event of Chrome's JSON: its fields, then its arguments. Inline, as most of the time of the sink is spent here.
 * Private to sink_chrome.c and chrome_tasks.c. */
#ifndef HOSTLINK_CHROME_EVENT_H
#define HOSTLINK_CHROME_EVENT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal.h"
#include "model/event.h"
#include "sink/chrome_samples.h"
#include "sink/json_text.h"
#include "sink/outfile.h"
#include "sink/series.h"
#include "sink/zonestack.h"

/* Longer ones are not kept, so that the parts of an event fit OUTFILE_ROOM_BYTES. */
#define CHROME_TEXT_BYTES 240u
/* Texts are copied in such pieces. */
#define CHROME_PIECE_BYTES 16u

struct chrome_text {
    uint32_t length;
    char bytes[CHROME_TEXT_BYTES];
};

struct chrome_site {
    const struct site *site;
    const char *name, *file; /* the site's, and its line, when the texts were made */
    uint32_t line;
    bool kept;                    /* false: one of them must be escaped, or is too long */
    struct chrome_text name_text; /* in quotes */
    struct chrome_text place;     /* ',"loc":"FILE:LINE"', or empty */
};

struct chrome_row {
    uint32_t session, tid;
    struct chrome_text text; /* ',"pid":1,"tid":2,"ts":'; empty: none yet */
};

/* By the low bits of their numbers. */
#define CHROME_SITES 512u
#define CHROME_ROWS 64u

/* All zero is the start. */
struct chrome_texts {
    struct chrome_site *sites[CHROME_SITES];
    struct chrome_row rows[CHROME_ROWS];
};

/* NULL: a text must be escaped, or is too long; or memory is short. */
const struct chrome_site *chrome_site(struct chrome_texts *texts, const struct site *site);
const struct chrome_text *chrome_row(struct chrome_texts *texts, uint32_t session, uint32_t tid);
void chrome_texts_free(struct chrome_texts *texts);

/* Returns the end of the text; up to CHROME_PIECE_BYTES after it are overwritten. */
static inline char *chrome_put(char *at, const struct chrome_text *text) {
    for (uint32_t i = 0; i < text->length; i += CHROME_PIECE_BYTES) {
        memcpy(at + i, text->bytes + i, CHROME_PIECE_BYTES);
    }
    return at + text->length;
}

/* Thread ids of rows that are no track; those of tracks count from 1. */
#define SERIES_TID_BASE 0x40000000u

struct chrome {
    struct outfile *out;
    struct track_zones *tracks; /* by id of the track */
    uint32_t track_count;
    struct series_table series;
    struct chrome_texts texts;
    struct chrome_stacks stacks;
    struct chrome_samples samples;
    bool any;        /* an event was written */
    bool in_args;    /* the event that is being written has arguments */
    int64_t last_ns; /* of all events */
};

static inline void put(struct chrome *chrome, const char *text) {
    outfile_write(chrome->out, text, strlen(text));
}

/* Inline, so that a constant's length is one too. */
static inline char *put_text(char *at, const char *text) {
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

/* Everything before the name. */
static inline char *put_phase(struct chrome *chrome, char *at, char phase) {
    at = put_text(at, chrome->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    *at++ = phase;
    chrome->any = true;
    return put_text(at, "\",\"name\":");
}

/* Everything between the name and the other fields. */
static inline char *put_row(struct chrome *chrome, char *at, uint32_t session, uint32_t tid,
                            int64_t time_ns) {
    return json_put_time(chrome_put(at, chrome_row(&chrome->texts, session, tid)), time_ns);
}

/* Everything up to the time; the caller adds fields, then arguments, and calls finish(). */
static inline void start(struct chrome *chrome, char phase, const char *name, uint32_t session,
                         uint32_t tid, int64_t time_ns) {
    struct outfile *out = chrome->out;
    outfile_wrote(out, put_phase(chrome, outfile_room(out), phase));
    json_text(out, name, strlen(name));
    outfile_wrote(out, put_row(chrome, outfile_room(out), session, tid, time_ns));
}

/* The process of a track: its session's, or its device's. */
static inline uint32_t chrome_pid(const struct track *track) {
    return track->device ? UINT32_C(0x10000000) + track->device->number : track->session;
}

/* The same with the name of a zone's site. */
static inline void start_named(struct chrome *chrome, char phase, const struct chrome_site *site,
                               const struct track *track, int64_t time_ns) {
    char *at = put_phase(chrome, outfile_room(chrome->out), phase);
    at = chrome_put(at, &site->name_text);
    outfile_wrote(chrome->out, put_row(chrome, at, chrome_pid(track), track->id, time_ns));
}

static inline void field(struct chrome *chrome, const char *key, const char *text) {
    put(chrome, ",\"");
    put(chrome, key);
    put(chrome, "\":");
    json_text(chrome->out, text, strlen(text));
}

static inline void arg_key(struct chrome *chrome, const char *key) {
    put(chrome, chrome->in_args ? "," : ",\"args\":{");
    json_text(chrome->out, key, strlen(key));
    outfile_write(chrome->out, ":", 1);
    chrome->in_args = true;
}

static inline void arg_text(struct chrome *chrome, const char *key, const char *text,
                            size_t length) {
    arg_key(chrome, key);
    json_text(chrome->out, text, length);
}

static inline void arg_number(struct chrome *chrome, const char *key, uint64_t value) {
    arg_key(chrome, key);
    json_number(chrome->out, value);
}

static inline void arg_signed(struct chrome *chrome, const char *key, int64_t value) {
    arg_key(chrome, key);
    outfile_printf(chrome->out, "%" PRId64, value);
}

static inline void arg_color(struct chrome *chrome, const char *key, uint64_t color) {
    arg_key(chrome, key);
    outfile_printf(chrome->out, "\"#%06" PRIx64 "\"", color);
}

static inline void arg_address(struct chrome *chrome, const char *key, uint64_t address) {
    arg_key(chrome, key);
    char *end = hexadecimal_put(put_text(outfile_room(chrome->out), "\"0x"), address);
    *end++ = '"';
    outfile_wrote(chrome->out, end);
}

static inline void finish(struct chrome *chrome) {
    outfile_wrote(chrome->out, put_text(outfile_room(chrome->out), chrome->in_args ? "}}" : "}"));
    chrome->in_args = false;
}

/* Where it was recorded; "stack" NULL = nothing. */
static inline void field_stack(struct chrome *chrome, const struct callstack *stack) {
    const uint32_t leaf = stack ? chrome_stack(&chrome->stacks, stack) : 0;
    if (leaf != 0) {
        outfile_wrote(chrome->out, put_text(outfile_room(chrome->out), ",\"sf\":"));
        json_number(chrome->out, leaf);
    }
}

/* "file:line" under the key that Tracy's importer reads. */
static inline void field_place(struct chrome *chrome, const struct site *site) {
    char place[512];
    if (site->file[0] != '\0') {
        char *end = place + strnlen(site->file, sizeof place - DECIMAL_BYTES - 2);
        memcpy(place, site->file, (size_t)(end - place));
        *end++ = ':';
        *decimal_put(end, site->line) = '\0';
        field(chrome, "loc", place);
    }
}

static inline void metadata(struct chrome *chrome, const char *what, uint32_t session, uint32_t tid,
                            const char *name) {
    start(chrome, 'M', what, session, tid, 0);
    arg_text(chrome, "name", name, strlen(name));
    finish(chrome);
}

#endif
