/* SPDX-License-Identifier: MIT */
/* Facts that a board reports in INFO packets (runtime/WIRE.md, section 2). */
#ifndef HOSTLINK_BOARD_INFO_H
#define HOSTLINK_BOARD_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/wire.h"

struct reader;

#define BOARD_INFO_TEXT 48u
#define BOARD_INFO_TYPES 18u
#define BOARD_INFO_NUMBERS 3u
#define BOARD_INFO_LANES 64u

/* All zero is the start. */
struct board_info {
    bool has[BOARD_INFO_TYPES];                            /* by enum kymo_info */
    char text[BOARD_INFO_TYPES][BOARD_INFO_TEXT];          /* of those that are text */
    uint32_t number[BOARD_INFO_TYPES][BOARD_INFO_NUMBERS]; /* of those of 4 bytes each */
    uint32_t most_bytes[BOARD_INFO_LANES];                 /* KYMO_INFO_RING_MOST */
    uint32_t core_clock_error[BOARD_INFO_LANES];           /* KYMO_INFO_CORE_CLOCK: ticks */
    uint32_t core_clock_times[BOARD_INFO_LANES];           /* and how often it was set; 0: never */
    uint32_t core_clock_most[BOARD_INFO_LANES]; /* the greatest error since the first time */
    bool core_clock_asked[BOARD_INFO_LANES];    /* it was to be set */
    uint32_t clock_changes;                     /* KYMO_INFO_CLOCK: the last one's number */
    uint64_t clock_slept;                       /* and ticks of the slow clock, in all */
    uint64_t loaded_at;                         /* KYMO_INFO_LOADED */
    uint64_t unknown;                           /* entries that were stepped over */
};

/* The body of an INFO packet. Earlier facts that are not in it stay. */
void board_info_take(struct board_info *info, struct reader *reader);

/* More than a clock can be wrong by that is set at all. */
#define BOARD_INFO_CLOCK_UNKNOWN_NS (INT64_MAX / 8)
/* The error of the times of that lane against lane 0's since its clock was first set; 0: they have one clock. */
int64_t board_info_clock_ns(const struct board_info *info, uint32_t lane, uint64_t hz);

/* The most that the fullest ring held so far, in percent of it; 0: not known. */
unsigned board_info_ring_percent(const struct board_info *info);

#endif
