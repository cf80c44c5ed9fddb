/* What a board says of itself that only its firmware can mend (runtime/WIRE.md, sections 2 and 6). */
#ifndef TRACE_BOARD_WATCH_H
#define TRACE_BOARD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* What has been said in this session; all false at its start. */
struct board_watch {
    bool clock_stands, astray;
    bool
        past; /* the session is a run before the board's last reset: its clock is not that of now */
    uint64_t usage; /* bits of KYMO_USAGE_* */
};

/* By the flags of a SESSION and of a STATUS frame: what is to be said now, or NULL. */
const char *board_watch_session(struct board_watch *watch, uint8_t flags);
const char *board_watch_status(struct board_watch *watch, uint8_t flags);
/* By the usage bits of a STATUS frame; call it until it returns NULL. */
const char *board_watch_usage(struct board_watch *watch, uint64_t usage);

#endif
