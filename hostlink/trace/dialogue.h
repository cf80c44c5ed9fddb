/* What hostlink says to the board, and when. Knows no clock and no line: both are given. */
#ifndef HOSTLINK_DIALOGUE_H
#define HOSTLINK_DIALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIALOGUE_PINGS_OPEN 8u

/* All zero is the start. Times are those of the host's monotonic clock. */
struct dialogue {
    bool started;
    uint64_t frames; /* of the board, when last looked at */
    uint32_t sessions;
    uint64_t heard_ns;                    /* when frames last came */
    uint64_t hello_ns, names_ns, ping_ns; /* when each is due next */
    uint64_t open[DIALOGUE_PINGS_OPEN];   /* cookies without an answer: when they were sent */
    uint64_t pings, pongs;
    uint64_t best_ns, last_ns; /* round trips */
};

/* What is known about the board. */
struct dialogue_view {
    uint64_t frames;
    uint32_t sessions;
    bool wants_names;
};

/* Call it often. The length of a command to send now, 0 = nothing. */
size_t dialogue_next(struct dialogue *dialogue, const struct dialogue_view *view, uint64_t now_ns,
                     uint8_t *out, size_t size);
/* An answer to a ping came. False if no such ping is open. */
bool dialogue_pong(struct dialogue *dialogue, uint64_t cookie, uint64_t now_ns);

#endif
