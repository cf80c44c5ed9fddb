/* SPDX-License-Identifier: MIT */
/* Counts repairs by reason and shows them. The timeline repairs some events, as they say; other repairs are for the
 * viewer alone, which ends the session at the first impossible item (TracyWorker.cpp, "Failure"). */
#ifndef HOSTLINK_TRACY_REPAIR_H
#define HOSTLINK_TRACY_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"

/* X(name, text of the message on the timeline) */
#define TRACY_REPAIR_TABLE(X)                                                                      \
    X(ZONE_LOST, "zone closed here, where events were lost")                                       \
    X(ZONE_OPEN, "zone closed here, where the trace ended")                                        \
    X(ZONE_MISSING, "zone closed here: the firmware did not end it, or one inside it")             \
    X(ZONE_UNSURE, "zone closed here: this may be the end of a zone around it")                    \
    X(ZONE_TASK, "zone closed here, where its task ended")                                         \
    X(ZONE_LEFT, "function closed here: it was left by a jump, or never returned")                 \
    X(END_WITHOUT_BEGIN, "end without an open zone: left out")                                     \
    X(NO_ZONE, "text, value or colour without an open zone: left out")                             \
    X(TOO_DEEP, "zones nested too deeply: left out")                                               \
    X(NOT_LEFT, "interrupt not left when the trace ended")                                         \
    X(NOT_HELD, "released without being held: left out")                                           \
    X(LOCK_CLOSED, "lock released here: the firmware did not, or it was lost")                     \
    X(LOCK_THREADS, "more contexts at one lock than the viewer can number: left out")              \
    X(TOO_MANY_LOCKS, "too many locks: left out")                                                  \
    X(TIME_BACK, "time went back: event moved to the latest time of its row")                      \
    X(CLOCK_ANEW, "a device's clock was set back: it goes on from here")                           \
    X(ALLOC_TWICE, "memory allocated that was not free: freed first")                              \
    X(UNKNOWN_FREE, "memory freed that was not allocated: left out")                               \
    X(TOO_MUCH_MEMORY, "too many live allocations: left out")                                      \
    X(ALLOC_SIZE, "size of an allocation cut to what the viewer can hold")                         \
    X(FRAME_TWICE, "frame started again before its end: ended first")                              \
    X(FRAME_OPEN, "frame ended here, where the trace ended")                                       \
    X(FRAME_WITHOUT_START, "end of a frame that never started: left out")                          \
    X(ASYNC_WITHOUT_BEGIN, "end of an asynchronous zone that is not open: left out")               \
    X(FRAME_MIXED, "marks and start/end in one set of frames: left out")                           \
    X(FRAME_NAMELESS, "frame of a set whose name had not come yet: left out")                      \
    X(FRAME_PICTURE, "a frame's second image: left out")                                           \
    X(PLOT_VALUE, "plot value that is not a number: left out")                                     \
    X(ADDRESS, "call stack with an address that the viewer cannot show: replaced")                 \
    X(TOO_MANY_ROWS, "more rows than the viewer can number: events of the others left out")

enum tracy_repair {
#define TRACY_REPAIR_ENUM(name, text) TRACY_REPAIR_##name,
    TRACY_REPAIR_TABLE(TRACY_REPAIR_ENUM)
#undef TRACY_REPAIR_ENUM
        TRACY_REPAIR_COUNT
};

/* Gets the place of each repair. */
typedef void tracy_repair_sink(void *context, uint32_t thread, int64_t time_ns,
                               enum tracy_repair repair);

/* One message per repair up to this many of a kind and viewer; the rest is reported as a sum. */
#define TRACY_REPAIRS_SHOWN 100u

/* All zero is ready for use. */
struct tracy_repairs {
    uint64_t total;
    uint64_t count[TRACY_REPAIR_COUNT]; /* since tracy_repairs_restart() */
};

/* The timeline's repair of the event; TRACY_REPAIR_COUNT: none. */
enum tracy_repair tracy_repair_of(const struct event *event);
/* Counts; true if this one is to be shown. */
bool tracy_repairs_count(struct tracy_repairs *repairs, enum tracy_repair repair);
const char *tracy_repair_text(enum tracy_repair repair);
/* A new viewer. */
void tracy_repairs_restart(struct tracy_repairs *repairs);

#endif
