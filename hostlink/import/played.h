/* SPDX-License-Identifier: MIT */
/* A board that is played: another program's recording becomes the stream that a board would have sent
 * (runtime/WIRE.md), so that every reader of captures reads it. Rows are threads, cores or the like. If there are no
 * more rows than lanes, each row is a lane; else rows are tasks, each on a lane of its own while its zones are open.
 *
 * Events may come in any order of time; memory does not grow with their number, but with that of rows and names. */
#ifndef HOSTLINK_PLAYED_H
#define HOSTLINK_PLAYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/by_time.h"
#include "base/keytable.h"
#include "kymo/wire.h"

/* A longer text is cut. */
#define PLAYED_TEXT_BYTES 1000u

struct played_row {
    char *name;    /* NULL: none was given */
    int64_t *ends; /* of its open zones, the innermost last; PLAYED_OPEN: ends by played_end() */
    uint32_t depth, capacity;
    int32_t lane; /* -1: none */
    uint8_t kind; /* enum kymo_context_kind */
    bool named;   /* in the stream */
};
#define PLAYED_OPEN INT64_MAX

/* A record of "order"; its text follows. Private to played.c and played_stream.c. */
struct played_note {
    uint8_t kind; /* enum kymo_event_kind */
    uint32_t row, site;
    int64_t end_ns; /* of a zone */
    uint64_t id;    /* of a flow, or of an asynchronous zone */
    double value;
};

/* All zero but "order.fd" = -1 is empty. */
struct played {
    const char *image;
    struct by_time order;
    struct keytable sites; /* keys: kind, line, name, NUL, file */
    struct keytable row_keys;
    struct played_row *rows;
    uint32_t row_count, row_capacity;
    int64_t first_ns, last_ns; /* of all events */
    bool any;
    bool kernel; /* played_switch() was called */
    int error;   /* the first, 0 or -errno */
    /* The mismatch, for messages. */
    uint64_t cut;       /* zones that ended at the end of the one around them */
    uint64_t unmatched; /* ends without an open zone, left out */
    uint64_t shared;    /* zones of rows that found no lane of their own */
    uint64_t unnamed;   /* events with names beyond a capture's limit */
};

/* The number of the row with this key; makes a new row for a new key. */
uint32_t played_row(struct played *played, const void *key, size_t length);
void played_name_row(struct played *played, uint32_t row, const char *name);

/* The number of a site. */
struct played_site {
    enum kymo_site_kind kind;
    const char *name, *file;
    uint32_t line;
};
uint32_t played_site(struct played *played, const struct played_site *site);

/* Times are in ns, from any origin. A zone ends at "end_ns", or by played_end() if that is PLAYED_OPEN. "text" is the
 * zone's text, NULL = none. */
void played_begin(struct played *played, uint32_t row, int64_t time_ns, int64_t end_ns,
                  uint32_t site, const char *text);
void played_end(struct played *played, uint32_t row, int64_t time_ns);
void played_message(struct played *played, uint32_t row, int64_t time_ns, uint32_t site,
                    const char *text);
void played_plot(struct played *played, uint32_t row, int64_t time_ns, uint32_t site, double value);
/* "kind" is one of KYMO_KIND_FLOW_SEND, _STEP and _RECEIVE, KYMO_KIND_ASYNC_BEGIN and _END. */
void played_flow(struct played *played, uint32_t row, int64_t time_ns, uint32_t site,
                 enum kymo_event_kind kind, uint64_t id);

/* The work of a kernel on its only core. Rows then are the contexts of one lane: tasks, unless played_kind() sets
 * another kind before they run. Give zones, plots and messages the row that runs. */
void played_kind(struct played *played, uint32_t row, enum kymo_context_kind kind);
void played_switch(struct played *played, uint32_t row, int64_t time_ns);
void played_ready(struct played *played, uint32_t row, int64_t time_ns);
/* The row, which runs, waits from the next switch on. */
void played_waits(struct played *played, uint32_t row, int64_t time_ns, enum kymo_why why);

/* Writes the stream. Returns 0, the first error, or the error of "write". */
int played_write(struct played *played,
                 int (*write)(void *context, const uint8_t *bytes, size_t length), void *context);
void played_free(struct played *played);

#endif
