/* SPDX-License-Identifier: MIT */
/* The parts of hostlink that fuzz_parts feeds each by itself: those after a check that damage seldom passes, or
 * whose input comes from elsewhere than a board's line. */
#ifndef FUZZ_PARTS_H
#define FUZZ_PARTS_H

#include "wire/decode.h"

struct part {
    /* Takes an input; a reader that is at its end gives zeros. */
    void (*run)(struct reader *input);
    /* Writes a correct one of at most "size" bytes; returns its length. */
    size_t (*seed)(uint32_t random, uint8_t *out, size_t size);
};

/* The text of a message, from its format and its words. */
extern const struct part part_format;
/* The answers of addr2line or llvm-symbolizer about an ELF file. */
extern const struct part part_answers;
/* SYMBOLS packets of a capture. */
extern const struct part part_kept;
/* INFO packets. */
extern const struct part part_info;
/* The numbers of events that a lane says to have recorded. */
extern const struct part part_claims;
/* The two clocks, and the times that come of them. */
extern const struct part part_clock;
/* Announcements of boards in the network. */
extern const struct part part_beacon;
/* Devices at serial ports. */
extern const struct part part_ports;
/* Names of source files, from the board and from a viewer. */
extern const struct part part_sources;
/* Source files that a board sends. */
extern const struct part part_published;

/* Tables of frames in an ELF file. */
extern const struct part part_frames;

#endif
