/* For transports to which one host after another connects: a new one's bytes begin with a whole
 * frame, not with the rest of one whose beginning went to the host before. Each frame ends with
 * a zero byte, and has no other. */
#ifndef KYMO_WHOLE_FRAMES_H
#define KYMO_WHOLE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kymo_whole_frames {
    bool inside;   /* the last byte that was taken did not end a frame */
    bool skipping; /* up to the end of that frame */
};

/* Another host has connected. */
static inline void kymo_whole_frames_restart(struct kymo_whole_frames *frames) {
    frames->skipping = frames->inside;
}

/* How many of the bytes to come are to be dropped; they count as taken. */
static inline size_t kymo_whole_frames_skip(struct kymo_whole_frames *frames, const uint8_t *bytes,
                                            size_t length) {
    size_t skipped = 0u;
    while (frames->skipping && skipped < length) {
        frames->skipping = bytes[skipped++] != 0u;
    }
    return skipped;
}

/* So many bytes were taken, those that were skipped among them. */
static inline void kymo_whole_frames_taken(struct kymo_whole_frames *frames, const uint8_t *bytes,
                                           size_t taken) {
    if (taken != 0u) {
        frames->inside = bytes[taken - 1u] != 0u;
    }
}

#endif
