/* The state of a pipeline. Private to pipeline.c, which brings frames, and dispatch.c, which obeys them. */
#ifndef HOSTLINK_PIPELINE_STATE_H
#define HOSTLINK_PIPELINE_STATE_H

#include "trace/board_watch.h"
#include "trace/borrow.h"
#include "trace/clock_wait.h"
#include "trace/clockfit.h"
#include "trace/deframe.h"
#include "trace/host_epoch.h"
#include "trace/merge.h"
#include "trace/names.h"
#include "trace/pipeline.h"
#include "trace/repeat.h"
#include "trace/stray_text.h"
#include "trace/timeline.h"

#define IMAGE_BYTES 128u

struct pipeline {
    struct pipeline_callbacks callbacks;
    struct deframe deframe;
    struct names *names;
    bool own_names;
    struct clockfit clock;
    uint64_t guessed_hz; /* from an earlier pass, for a board that does not know its own */
    struct merge *merge;
    struct timeline *timeline;
    struct pipeline_totals totals;
    char image[IMAGE_BYTES];
    uint32_t session_id;
    bool session_open, session_identified;
    struct host_epoch host;
    bool rate_warned, version_warned;
    bool entered; /* what came before the first packet is behind */
    bool ended;   /* what is left is the beginning of a packet */
    struct board_watch watch;
    struct stray_text text;
    struct repeat repeat;
    uint32_t lanes; /* as the session said */
    bool rate_known;
    struct clock_wait wait; /* until then */
    struct loan loan;
};

static inline uint32_t session_number(const struct pipeline *p) {
    return timeline_session_number(p->timeline);
}

#endif
