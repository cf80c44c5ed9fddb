/* Frames that come again: a line, a relay or a stuck buffer brings old ones, or the board began anew and has the
 * same session number as before.
 *
 * An EVENTS frame that begins before what its lane has brought is a copy if its bytes are known, until a SESSION
 * frame has an earlier clock than the board had. From then on, and if they are not known, frames are held. Those
 * that go on where the board was say that what is held are copies. One that cannot be of the session that runs,
 * REPEAT_EVENTS_MAX different ones, or the end of the stream say that the board began anew. */
#ifndef HOSTLINK_REPEAT_H
#define HOSTLINK_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/frames.h"
#include "trace/timeline.h"

#define REPEAT_EVENTS_MAX 32u
#define REPEAT_BYTES_MAX (256u * 1024u)
#define REPEAT_KNOWN 4096u /* EVENTS frames that are recognised, about two million events */

struct repeat_frame {
    struct repeat_frame *next;
    uint32_t print;
    size_t length;
    uint8_t bytes[];
};

/* All zero is the start. */
struct repeat {
    uint32_t known[REPEAT_KNOWN]; /* fingerprints of the session's EVENTS frames, a ring */
    uint64_t count;
    uint32_t last;   /* fingerprint of the frame before, if it was EVENTS */
    uint64_t clock;  /* the board's, at its latest */
    bool clock_back; /* a SESSION frame had an earlier one */
    bool from_start; /* the first frame of a lane came again */
    uint64_t copies; /* EVENTS frames that were left out */
    struct repeat_frame *first, *end;
    uint32_t events; /* EVENTS frames that are held */
    size_t bytes;
};

enum repeat_verdict {
    REPEAT_TAKE,   /* the frame goes on */
    REPEAT_DROP,   /* it is a copy, or held */
    REPEAT_COPIES, /* what is held are copies; the frame goes on */
    REPEAT_ANEW    /* the board began anew, with what is held; the frame goes on behind it */
};

enum repeat_verdict repeat_events(struct repeat *repeat, const struct wire_frame *frame,
                                  const struct wire_head *head, enum timeline_order order);
/* A SESSION frame with the number of the session that runs, or a STATUS frame. "ticks" is its clock. */
enum repeat_verdict repeat_clock(struct repeat *repeat, const struct wire_frame *frame,
                                 uint64_t ticks, bool session);
/* A SITES frame. */
enum repeat_verdict repeat_sites(struct repeat *repeat, const struct wire_frame *frame);
/* The stream has ended: true if what is held is of a board that began anew. */
bool repeat_is_anew(const struct repeat *repeat);
/* The frames that are held become the caller's, each for free(). Nothing is in doubt any more. */
struct repeat_frame *repeat_release(struct repeat *repeat);
/* False for the events of a lane that go on where it is. */
bool repeat_is_copy(const struct repeat_frame *frame, const struct timeline *timeline);
/* Another session begins. */
void repeat_restart(struct repeat *repeat);
void repeat_free(struct repeat *repeat);

#endif
