/* SPDX-License-Identifier: MIT */
/* Perfetto's trace as a stream of packets: the bookkeeping that keeps them small. Field numbers are from
 * Perfetto's protos/perfetto/trace, its public and stable part only.
 *
 * Each row of the output (a thread, a counter ...) writes a packet sequence of its own, so that its
 * packets need neither name the row nor carry more than the time since the one before. Names are sent
 * once a sequence. */
#ifndef HOSTLINK_PERFETTO_WRITER_H
#define HOSTLINK_PERFETTO_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intmap.h"
#include "base/keytable.h"
#include "model/event.h"
#include "sink/outfile.h"
#include "sink/protobuf.h"

/* A row and its packet sequence. */
struct perfetto_row {
    uint64_t uuid;     /* of its TrackDescriptor, 0 = not declared yet */
    uint32_t sequence; /* 0 = nothing written yet */
    int64_t last_ns;   /* time of the last packet that moved the sequence's clock */
    struct keytable interned;
    struct intmap
        sites;       /* their numbers among the interned, by pointer and whether they were known */
    uint32_t bodies; /* log messages so far: their texts are numbered, not remembered */
    uint64_t sample_hz; /* not 0: a sequence of samples, so many a second, which has no row */
};

struct perfetto_writer {
    struct outfile *out;
    struct protobuf packet, event, interned, stack;
    struct perfetto_row *row; /* of the event that is being written */
    int64_t time_ns;
    uint32_t sequences;
    uint64_t uuids;
    uint32_t stacks; /* call stacks that have a number */
    int error;       /* -ENOMEM of the interning tables */
};

/* TrackEvent.Type */
enum perfetto_type {
    PERFETTO_SLICE_BEGIN = 1,
    PERFETTO_SLICE_END = 2,
    PERFETTO_INSTANT = 3,
    PERFETTO_COUNTER = 4
};

/* LogMessage.Priority (Android's log levels) */
enum perfetto_priority {
    PERFETTO_VERBOSE = 2,
    PERFETTO_DEBUG = 3,
    PERFETTO_INFO = 4,
    PERFETTO_WARN = 5,
    PERFETTO_ERROR = 6,
    PERFETTO_FATAL = 7
};

void perfetto_open(struct perfetto_writer *writer, struct outfile *out);
void perfetto_close(struct perfetto_writer *writer);
void perfetto_row_free(struct perfetto_row *row);

/* A TrackDescriptor: write its fields into the message that is returned, then call the end. */
struct protobuf *perfetto_descriptor_begin(struct perfetto_writer *writer, uint64_t uuid);
int perfetto_descriptor_end(struct perfetto_writer *writer);
uint64_t perfetto_new_uuid(struct perfetto_writer *writer);

/* Pairs time 0 of the trace with the wall clock. */
int perfetto_epoch(struct perfetto_writer *writer, int64_t unix_ns);

/* GenericKernelTaskStateEvent.TaskStateEnum */
enum perfetto_state {
    PERFETTO_READY = 2,
    PERFETTO_RUNNING = 3,
    PERFETTO_WAITS = 4,
    PERFETTO_WAITS_LOCK = 5,
    PERFETTO_SUSPENDED = 6,
    PERFETTO_OVER = 8 /* and gone */
};
/* A thread has another state from then on; on "cpu" it runs, or ran until then. */
struct perfetto_state_change {
    int64_t time_ns;
    uint32_t cpu, tid;
    const char *name;
    enum perfetto_state state;
    bool has_priority;
    int32_t priority;
};
int perfetto_task(struct perfetto_writer *writer, const struct perfetto_state_change *change);

/* An event of a row: begin, any of the fields below, end. 0 or -errno. */
void perfetto_event_begin(struct perfetto_writer *writer, struct perfetto_row *row,
                          enum perfetto_type type, int64_t time_ns);
/* With the place, as perfetto_place(). */
void perfetto_name_site(struct perfetto_writer *writer, const struct site *site);
void perfetto_name_constant(struct perfetto_writer *writer, const char *name);
void perfetto_name_text(struct perfetto_writer *writer, const char *bytes, size_t length);
void perfetto_category(struct perfetto_writer *writer, const char *name);
void perfetto_place(struct perfetto_writer *writer, const struct site *site);
void perfetto_log(struct perfetto_writer *writer, const struct site *site,
                  enum perfetto_priority priority, const char *bytes, size_t length);
void perfetto_count(struct perfetto_writer *writer, int64_t value);
void perfetto_count_double(struct perfetto_writer *writer, double value);
void perfetto_note_text(struct perfetto_writer *writer, const char *key, const char *bytes,
                        size_t length);
void perfetto_note_number(struct perfetto_writer *writer, const char *key, uint64_t value);
void perfetto_note_address(struct perfetto_writer *writer, const char *key, uint64_t value);
/* The number of a key in the event's row, from 1. *fresh: it is a new one, whose meaning the caller then writes into
 * writer->interned. 0 when memory is short. */
uint64_t perfetto_intern(struct perfetto_writer *writer, const void *key, size_t length,
                         bool *fresh);
/* An arrow leads from the slice that begins with the one to that with the other. */
void perfetto_flow(struct perfetto_writer *writer, uint64_t id);
void perfetto_flow_end(struct perfetto_writer *writer, uint64_t id);
int perfetto_event_end(struct perfetto_writer *writer);

/* A PerfSample: write its fields into writer->event between. 0 or -errno. */
void perfetto_sample_begin(struct perfetto_writer *writer, struct perfetto_row *row,
                           int64_t time_ns);
int perfetto_sample_end(struct perfetto_writer *writer);
/* A bundle of ftrace events, which begins as a sample does. */
int perfetto_ftrace_end(struct perfetto_writer *writer);

#endif
