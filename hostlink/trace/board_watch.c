#include "trace/board_watch.h"

#include <stddef.h>

#include "kymo/wire.h"

/* Once, and again if it was well in between. */
static const char *when_new(bool *before, bool now, const char *text) {
    const bool is_new = now && !*before;
    *before = now;
    return is_new ? text : NULL;
}

const char *board_watch_session(struct board_watch *watch, uint8_t flags) {
    const char *past = when_new(&watch->past, (flags & KYMO_SESSION_PAST) != 0,
                                "this session is what the board recorded before a reset");
    if (past != NULL) {
        return past;
    }
    return when_new(&watch->clock_stands, (flags & KYMO_SESSION_CLOCK_STANDS) != 0,
                    "the board's clock stood still at its start, so it records nothing: choose "
                    "another clock in its arch port, or start that one before kymo_init()");
}

const char *board_watch_status(struct board_watch *watch, uint8_t flags) {
    return when_new(&watch->astray, (flags & KYMO_STATUS_ASTRAY) != 0,
                    "the board refuses events of a core that has no lane: raise its KYMO_LANES, or "
                    "say in its arch port which core is the first");
}
