/* SPDX-License-Identifier: MIT */
/* Faults that a board reports and only its firmware can fix (runtime/WIRE.md, sections 2 and 6). */
#ifndef TRACE_BOARD_WATCH_H
#define TRACE_BOARD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Reports so far in this session; all false at its start. */
struct board_watch {
    bool clock_stands, unknown_lane;
    bool
        past; /* the session is a run before the board's last reset: its clock is not that of now */
    uint64_t usage; /* bits of enum kymo_usage */
};

/* The line that is no fault. */
#define BOARD_WATCH_PAST "this session is what the board recorded before a reset"

/* The text to report now, by the flags of a SESSION and of a STATUS packet, or NULL. */
const char *board_watch_session(struct board_watch *watch, uint8_t flags);
const char *board_watch_status(struct board_watch *watch, uint8_t flags);

/* Usage errors of the firmware, by the bits of a STATUS packet: the lowest bit that was not reported yet as a cause
 * and a fix, or NULL if all were. */
const char *board_watch_usage(struct board_watch *watch, uint64_t usage);
/* The text of one bit. Never NULL. */
const char *board_usage_text(unsigned bit);
#define BOARD_USAGE_BITS 64u

#endif
