/* SPDX-License-Identifier: MIT */
/* Decides which command hostlink sends to the board, and when. It has no clock and no line: both are given. */
#ifndef HOSTLINK_DIALOGUE_H
#define HOSTLINK_DIALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/params.h"

#define DIALOGUE_PINGS_OPEN 8u

/* All zero is the start. Times are those of the host's monotonic clock. One command at a time is on
 * its way: the next one goes when the answer to it came, or after a while, because the receive FIFO
 * of a small UART holds one command, and a board may be busy elsewhere. */
struct dialogue {
    bool started;
    uint64_t packets; /* of the board, when last looked at */
    uint32_t sessions;
    uint64_t heard_ns;                    /* when packets last came */
    uint64_t hello_ns, names_ns, ping_ns; /* when each is due next */
    uint64_t free_ns;                     /* when the next command may go */
    bool greeting;                        /* and nothing has come since */
    uint64_t sent_ns;                     /* the last command */
    bool ended; /* the last command was a ping, and is answered: the board has read its end */
    struct params params;
    unsigned searches; /* for names of parameters */
    uint64_t search_ns;
    uint64_t open[DIALOGUE_PINGS_OPEN]; /* cookies without an answer: when they were sent */
    uint64_t pings, pongs;
    /* Pings in a row: the number of trains, the pings left in this one, whether none of it was quick, whether the next
     * ping is part of it, and its time after the answer. */
    unsigned trains, follow;
    bool loose, follows;
    uint64_t delay_ns;
    uint64_t best_ns, last_ns; /* round trips */
};

/* State of the board. */
struct dialogue_view {
    uint64_t packets;
    uint32_t sessions;
    bool wants_names;
    bool wants_params; /* a caller waits for a parameter that the board has not sent */
};

/* Call it often. The length of a command to send now, 0 = nothing. */
size_t dialogue_next(struct dialogue *dialogue, const struct dialogue_view *view, uint64_t now_ns,
                     uint8_t *out, size_t size);
/* When the next ping is due, of a board that is heard. Wait until just then, so that it leaves at a
 * time that has nothing to do with when bytes come. */
static inline uint64_t dialogue_due_ns(const struct dialogue *dialogue) {
    return dialogue->ping_ns > dialogue->free_ns ? dialogue->ping_ns : dialogue->free_ns;
}
/* Is the last ping still without an answer? */
static inline bool dialogue_awaits(const struct dialogue *dialogue) {
    return dialogue->pings != 0 && dialogue->open[(dialogue->pings - 1) % DIALOGUE_PINGS_OPEN] != 0;
}
/* Until when to watch for its answer without sleeping, as to wake up may take longer than the answer; 0: it is not
 * worth that. */
uint64_t dialogue_watch_ns(const struct dialogue *dialogue);
/* An answer to a ping came. False if no such ping is open. */
bool dialogue_pong(struct dialogue *dialogue, uint64_t cookie, uint64_t now_ns);
/* The board sent the value of a parameter; dialogue->params learns it. */
void dialogue_param(struct dialogue *dialogue, uint32_t index, const char *name, int32_t value,
                    int32_t minimum, int32_t maximum);
/* The board was restarted. */
void dialogue_restart(struct dialogue *dialogue);

#endif
