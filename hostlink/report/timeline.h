/* SPDX-License-Identifier: MIT */
/* The timeline of the report: lanes by rows, bounded in bytes. While events come, the largest lane is thinned whenever
 * all lanes together exceed the bound: so rare events stay exact beside frequent ones. */
#ifndef HOSTLINK_REPORT_TIMELINE_H
#define HOSTLINK_REPORT_TIMELINE_H

#include "model/event.h"
#include "report/lane.h"
#include "report/names.h"
#include "sink/outfile.h"
#include "sink/running.h"
#include "sink/series.h"

#define ARROWS_MAX 4096u
#define ARROWS_OPEN 8192u /* flows on their way; of older ones the arrow is not drawn */

struct arrow_end {
    int64_t time_ns;
    uint32_t track;
};

struct arrow {
    struct arrow_end from, to;
    uint32_t name; /* of the page's */
};

struct arrow_sent {
    uint64_t number; /* of the flow, 0: none */
    struct arrow_end at;
};

/* All zero is empty. */
struct report_arrows {
    struct arrow *list;      /* ARROWS_MAX */
    struct arrow_sent *sent; /* ARROWS_OPEN, by number */
    uint32_t count;
    uint64_t seen, step; /* arrows so far; one of so many is kept, 0: of one */
};

/* Bytes of encoded lanes. The page takes four bytes for three of them. */
#define TIMELINE_BYTES 6000000u
#define TIMELINE_LANES 20000u
#define TIMELINE_DEPTH 64u /* zones inside zones that are shown */
/* Times of which so many pieces stay as they are. */
#define TIMELINE_WINDOWS 20u
#define TIMELINE_WINDOW_PIECES 4000u

enum timeline_of {
    TIMELINE_CORE,     /* what it runs */
    TIMELINE_STATE,    /* of a task */
    TIMELINE_ZONES,    /* of a track, by depth */
    TIMELINE_SAMPLES,  /* of a core */
    TIMELINE_FRAMES,   /* of a set */
    TIMELINE_ASYNC,    /* asynchronous zones of a name, by how many are open */
    TIMELINE_FLOWS,    /* that were received, of a name */
    TIMELINE_PLOT,     /* curve */
    TIMELINE_MEMORY,   /* curve of a pool's live bytes */
    TIMELINE_HOLDS,    /* of an object */
    TIMELINE_WAITS,    /* for an object, or shared holds of it, by track */
    TIMELINE_MESSAGES, /* by track */
    TIMELINE_REPAIRS,  /* of a core */
    TIMELINE_LOSSES    /* of a core */
};

struct timeline_lane {
    enum timeline_of of;
    uint32_t depth;              /* of zones, also asynchronous ones */
    uint32_t name;               /* of its row; its number */
    const struct track *track;   /* NULL: it is of no track, or of a core */
    const struct object *object; /* of holds and waits */
    uint32_t core, session;
    struct lane lane;
};

/* Facts about a track or an object, by its id. */
struct timeline_track {
    uint32_t depth;                    /* open zones */
    uint32_t lanes;                    /* of "zones" */
    uint32_t *zones;                   /* numbers of lanes + 1, by depth; 0: none yet */
    uint32_t state_lane, message_lane; /* + 1 */
    uint32_t state;                    /* a name, + 1; 0: not known */
    int64_t since_ns;
};

/* Facts about a series, by its number. */
struct timeline_series {
    uint32_t lane; /* + 1 */
    bool open;     /* frames: one has begun, at since_ns */
    int64_t since_ns;
    uint32_t breaks; /* of the timeline, when that was */
};

struct timeline_window {
    int64_t from_ns, to_ns;
    uint32_t left; /* pieces that may still be kept */
};

/* All zero is empty, except report_timeline_init(). */
struct report_timeline {
    struct report_names names;
    struct report_arrows arrows;
    struct timeline_lane *lanes;
    uint32_t count, capacity;
    struct timeline_track *tracks;
    uint32_t track_count;
    struct series_table series;
    struct timeline_series *of_series;
    uint32_t series_count;
    struct running running;
    struct timeline_window windows[TIMELINE_WINDOWS];
    uint32_t window_count;
    size_t bytes;      /* that lanes have taken, when it was last looked at */
    uint32_t puts;     /* since */
    uint32_t breaks;   /* losses and sessions: no frame goes over one */
    uint64_t too_many; /* pieces of lanes beyond TIMELINE_LANES, or too deep */
    int64_t first_ns, last_ns;
    bool any;
    int64_t from_ns, to_ns; /* of the part that is drawn */
};

void report_timeline_init(struct report_timeline *timeline);
/* Before the first event: only what lies between these times is drawn. */
void report_timeline_part(struct report_timeline *timeline, int64_t from_ns, int64_t to_ns);
/* Before the first event: pieces near this time are not thinned. */
void report_timeline_keep(struct report_timeline *timeline, int64_t from_ns, int64_t to_ns);
/* Any event. 0 or -ENOMEM, as for the next. */
int report_timeline_event(struct report_timeline *timeline, const struct event *event);
/* After the last event. */
int report_timeline_end(struct report_timeline *timeline);
/* A JSON object. */
void report_timeline_write(const struct report_timeline *timeline, struct outfile *out);
void report_timeline_free(struct report_timeline *timeline);

#endif
