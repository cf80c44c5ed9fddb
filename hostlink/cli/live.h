/* SPDX-License-Identifier: MIT */
/* A capture while it runs: bytes from the source go to the capture file and through the pipeline to
 * the viewers, commands go back to the board. */
#ifndef HOSTLINK_LIVE_H
#define HOSTLINK_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/capture.h"
#include "cli/child.h"
#include "cli/status.h"
#include "model/viewer.h"
#include "platform/poll.h"
#include "source/source.h"
#include "trace/dialogue.h"
#include "trace/pipeline.h"
#include "wire/guard.h"

enum live_end {
    LIVE_RUNNING,
    LIVE_END_OF_DATA,   /* the other side closed, the file is read */
    LIVE_FINAL,         /* the board reported its end */
    LIVE_DURATION,      /* the requested duration has passed */
    LIVE_IDLE,          /* silence for the requested time */
    LIVE_STOPPED,       /* by a signal */
    LIVE_COMMAND_ENDED, /* and nothing more came */
    LIVE_SOURCE_FAILED, /* "error" is the cause */
    LIVE_NO_MEMORY
};

enum live_return {
    LIVE_WAIT_UNPLUGGED, /* wait for a USB device that was unplugged */
    LIVE_WAIT_ALWAYS,    /* and for servers and other devices */
    LIVE_WAIT_NEVER
};

struct live {
    /* Set by the caller. */
    struct source *source;
    struct capture *capture;         /* NULL = keep nothing */
    uint64_t duration_ns;            /* 0 = no limit */
    uint64_t idle_ns;                /* 0 = silence is no end */
    uint32_t baud;                   /* for hints */
    bool keep;                       /* go on after the board's final status */
    enum live_return wait;           /* what to do when the source is gone */
    bool commands;                   /* speak to the board */
    bool quiet;                      /* no status line */
    struct child *child;             /* whose end is the capture's, NULL = none */
    const struct known_image *image; /* for names that the board does not send, NULL = none */
    const uint8_t *key;              /* to sign commands with, NULL = none */
    FILE *board_out;                 /* where the board's own lines go */
    struct viewer *viewers[VIEWERS_MAX];
    size_t viewer_count;
    /* One of several boards: its number and name in the capture, and the receiver of marks of its
     * clock. NULL: the only one. */
    const char *board;
    uint32_t number;
    int (*host)(void *context, const struct host_mark *mark);
    void *host_context;

    /* Results. */
    enum live_end end;
    int error;                     /* of the source, -errno */
    struct pipeline *pipeline;     /* has seen all; to be freed by the caller */
    struct pipeline_totals totals; /* after its end */
    struct line_load load;
    struct dialogue dialogue;
    struct guard guard;

    /* Its own. */
    struct stamp stamp;
    bool answered; /* a ping was answered since the host's clock was last written down after one */
    struct status status;
    uint64_t start_ns, last_bytes_ns, now_ns;
    uint64_t final_ns; /* when the final status came, 0 = not */
    bool begun, hinted, hinted_names, hinted_silence;
    uint32_t elf_names_kept;    /* the last names of the image that were written into the capture */
    bool in_piece;              /* the last byte was not the end of a packet, */
    uint64_t packet_ns;         /* the first one of which had come by then */
    bool away, obstacle_said;   /* the source is gone and waited for */
    bool was_there;             /* before it was away */
    uint64_t away_ns, retry_ns; /* since when; when to look for it next */
    unsigned guard_said;        /* states of the guard that were reported to the user, a bit each */
};

/* Runs until one of the ends above, then ends the pipeline and takes the totals. */
void live_run(struct live *live);
/* The same in steps, for a caller that waits for several: between waits it takes the bytes that
 * wait, then sends commands and looks for one of the ends above. The viewers' step() is the caller's. */
void live_begin(struct live *live);
void live_take(struct live *live, bool readable);
void live_speak(struct live *live);
/* poll() until "due_ns" of the host's monotonic clock, for a turn at most; until "watch_ns" without sleeping. */
int live_wait(struct sys_poll *fds, size_t count, uint64_t due_ns, uint64_t watch_ns);
/* Until when an answer is expected at any moment, 0 = it is not. */
uint64_t live_watch_ns(const struct live *live);
/* When to ask the board for its time; UINT64_MAX: not within the next turn. */
uint64_t live_due_ns(const struct live *live);
void live_finish(struct live *live);
/* How it ended, as part of a sentence. */
const char *live_end_text(const struct live *live);

#endif
