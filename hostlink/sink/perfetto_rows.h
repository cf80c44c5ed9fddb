/* SPDX-License-Identifier: MIT */
/* The rows of a Perfetto trace and how they are grouped: a process per session of the board; in it a
 * thread per core for its main code with the core's interrupts below, a thread per task, and rows for
 * plots, frames, memory and lost events. */
#ifndef HOSTLINK_PERFETTO_ROWS_H
#define HOSTLINK_PERFETTO_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"
#include "sink/perfetto_writer.h"
#include "sink/series.h"
#include "sink/zonestack.h"

/* A track of the board. */
struct perfetto_track {
    const struct track *track;
    struct perfetto_row *row; /* "own", or the core's */
    struct perfetto_row own;
    uint32_t tid;     /* 0 for an interrupt, and for a device's row, which are no threads */
    int64_t state_ns; /* of its state that was written last */
    bool over;        /* nothing of "track" is known any more */
    bool gone;        /* it ran until gone_ns and left for an unknown reason */
    int64_t gone_ns;
    struct zone_stack zones;
};

/* The row of a process, of a core's main code, or of a series. */
struct perfetto_line {
    struct perfetto_row row;
    uint32_t id;              /* of processes and cores: pid, tid */
    uint32_t core;            /* of cores: which */
    const struct track *main; /* of cores: the track that took the row, NULL before it appears */
    /* Cores only: the thread that runs, and the one that runs since next_ns, which is not written yet. */
    const struct perfetto_track *running, *next;
    int64_t next_ns;
    bool resumes;  /* it runs since next_ns because a gap ended there */
    bool left;     /* the running thread has left at next_ns, by its event */
    uint32_t lost; /* tid of the thread that runs where events were lost; 0: none yet */
};

struct perfetto_rows {
    struct perfetto_writer writer;
    struct perfetto_track **tracks; /* by id, NULL = not seen */
    uint32_t track_count;
    struct series_table series;
    struct perfetto_line **lines; /* by number of the series */
    uint32_t line_count;
    struct perfetto_row samples; /* of all tracks */
    struct perfetto_row ftrace;  /* events of tasks besides their states */
    bool told;                   /* by the kernel of the session, of states */
    uint64_t sample_count;       /* with those that were missed */
    int64_t last_ns;             /* of all events */
    uint32_t ids; /* pids and tids given so far: one count for both keeps all of them distinct */
};

enum perfetto_unit {
    PERFETTO_UNIT_NO_COUNTER, /* a row of slices */
    PERFETTO_UNIT_NONE,
    PERFETTO_UNIT_BYTES,
    PERFETTO_UNIT_PERCENT
};

/* EVENT_SESSION: names the process. 0 or -errno, as for all below that return an int. */
int perfetto_session(struct perfetto_rows *rows, const struct event *event);
/* The track's rows, declared at first sight. NULL when memory is short. */
struct perfetto_track *perfetto_track(struct perfetto_rows *rows, const struct track *track);
/* EVENT_TRACK of a known track: its name may be new. */
int perfetto_rename(struct perfetto_rows *rows, struct perfetto_track *track);
/* EVENT_TRACK_END: keeps only the number of its thread. */
void perfetto_track_end(struct perfetto_track *track);
/* The core's main thread, declared at first sight. NULL when memory is short. */
struct perfetto_line *perfetto_core(struct perfetto_rows *rows, uint32_t session, uint32_t core);
/* The row of a series, declared at first sight under the session's process with this name. NULL when
 * memory is short, or "series" is NULL for that reason. */
struct perfetto_line *perfetto_line(struct perfetto_rows *rows, const struct series *series,
                                    const char *name, enum perfetto_unit unit);
/* At the end, when all are known: the rows of devices in the order of their places. */
int perfetto_order_devices(struct perfetto_rows *rows);
/* The process of a session that has a track. */
uint32_t perfetto_pid(struct perfetto_rows *rows, uint32_t session);
void perfetto_rows_free(struct perfetto_rows *rows);

#endif
