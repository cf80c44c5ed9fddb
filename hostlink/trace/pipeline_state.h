/* SPDX-License-Identifier: MIT */
/* The state of a pipeline. Private to pipeline.c, which brings packets, dispatch.c, which obeys them, and
 * program_symbols.c. */
#ifndef HOSTLINK_PIPELINE_STATE_H
#define HOSTLINK_PIPELINE_STATE_H

#include "clock/clock_wait.h"
#include "clock/clockfit.h"
#include "clock/host_epoch.h"
#include "clock/set_back.h"
#include "device/devices.h"
#include "model/board_watch.h"
#include "model/code_kept.h"
#include "model/continuity/repeated_packets.h"
#include "model/merge.h"
#include "model/names.h"
#include "model/names_from_elf.h"
#include "model/timeline.h"
#include "trace/pipeline.h"
#include "trace/stray_text.h"
#include "wire/unpack.h"

#define IMAGE_BYTES 128u

/* Symbols at the addresses of a program. Sessions of one program share them. */
struct program_symbols {
    struct symbols symbols;
    struct pipeline *pipeline;
    struct code_program of;
    struct program_symbols *next;
};

/* Bytes of packets since the last stamp of the host's clock. */
struct host_times {
    uint64_t latest_ticks;          /* of the board, that a packet told; 0: none did */
    uint64_t asked_ns, asked_ticks; /* a ping left then, and was read; 0: none */
};

struct pipeline {
    struct pipeline_callbacks callbacks;
    struct unpack unpack;
    struct names *names;
    bool own_names;
    struct code_kept *kept;              /* symbols that the stream has; with the names */
    struct program_symbols *programs;    /* these, those of the image, and others: */
    const struct symbols *other_symbols; /* or NULL */
    struct clockfit clock;
    uint64_t first_hz,
        said_hz;         /* by the first SESSION packet of the first session, and by the last one */
    uint64_t guessed_hz; /* from an earlier pass, for a board that does not know its own */
    struct merge *merge;
    struct timeline *timeline;
    struct pipeline_totals totals;
    char image[IMAGE_BYTES];
    uint32_t sessions; /* that were opened */
    uint32_t session_id;
    bool session_open, session_identified;
    struct host_epoch host;
    struct host_times host_times;
    bool rate_warned, version_warned, board_warned;
    bool entered; /* the bytes before the first packet have passed */
    bool ended;   /* only the beginning of a packet is left */
    struct board_watch watch;
    struct set_back set_back;
    const struct set_back *known_set_back;      /* what an earlier pass found, or NULL */
    struct clockfit_step steps[SET_BACK_STEPS]; /* of these, the session's */
    struct stray_text text;
    struct line_bytes line;
    size_t last_junk; /* bytes of the damaged packet right before, 0: it was none */
    struct repeated_packets repeat;
    uint32_t lanes;       /* as the session said */
    uint32_t image_sites; /* of the image: the sites after them were made at run time */
    bool rate_known;
    bool events_came;       /* since the last STATUS */
    struct clock_wait wait; /* until then */
    struct names_from_elf elf_names;
    struct larges larges;
    struct devices devices;
};

/* The session that runs is of this program; all zero: it is not known yet. -ENOMEM or 0. */
int pipeline_program(struct pipeline *pipeline, const struct code_program *program);
void pipeline_programs_free(struct pipeline *pipeline);

static inline uint32_t session_number(const struct pipeline *p) {
    return timeline_session_number(p->timeline);
}

#endif
