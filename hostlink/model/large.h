/* SPDX-License-Identifier: MIT */
/* Large things of the board (runtime/WIRE.md, section 6), from their pieces. Bytes are passed on as they come: what
 * is whole is known at the end only. */
#ifndef HOSTLINK_LARGE_H
#define HOSTLINK_LARGE_H

#include <stddef.h>
#include <stdint.h>

#include "kymo/wire.h"
#include "wire/decode.h"

/* The state of one. */
enum large_end {
    LARGE_GOES_ON,
    LARGE_WHOLE,
    LARGE_CUT,      /* pieces were lost, or the stream ended */
    LARGE_CANCELLED /* by the firmware */
};

struct large {
    uint32_t session;
    uint64_t id; /* counts those of a session, from 1 */
    uint64_t bytes, received;
    uint8_t type; /* enum kymo_large_type */
    char name[KYMO_LARGE_NAME_BYTES +
              1]; /* as the board sent it; "" if it has no name, or it was lost */
    enum large_end end;
};

/* Receives one: "bytes" are its next ones, in order from the first one on; with "end" set there are no bytes. A value
 * other than 0 is returned to the caller that fed the packet. May be NULL. */
typedef int large_receive(void *context, const struct large *large, const uint8_t *bytes,
                          size_t length);

/* All zero but "receive" and "context" is the start. */
struct larges {
    large_receive *receive;
    void *context;
    struct large open; /* the one whose pieces come; id 0: not open */
    uint64_t last;     /* id of the last one that ended */
    uint64_t whole, cut, cancelled, bytes;
    uint64_t copies; /* pieces that came again */
    uint64_t wrong;  /* packets that contradict themselves */
};

/* The body of a LARGE packet. */
int large_take(struct larges *larges, uint32_t session, struct reader *reader);
/* The session, or the stream, has ended. */
int large_restart(struct larges *larges);

#endif
