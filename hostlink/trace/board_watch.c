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

const char *board_watch_usage(struct board_watch *watch, uint64_t usage) {
    static const char *const texts[] = {
        [KYMO_USAGE_UNPROMISED] =
            "the firmware ended a zone that was not open, or left an interrupt that it had not "
            "entered: the event is left out and counted as lost",
        [KYMO_USAGE_NO_SITE] = "the firmware began a zone with NULL as its site: the zone is left "
                               "out and counted as lost",
        [KYMO_USAGE_CONTEXT] = "the firmware gave a context that is not a multiple of 8: use the "
                               "address of an object that is aligned to 8 bytes",
        [KYMO_USAGE_CROSSED] = "the firmware ended a zone before the zones inside it: end zones in "
                               "the reverse order of their begins",
        [KYMO_USAGE_SILENCE] = "the board's clock may have wrapped between two calls of "
                               "kymo_drain(), so times may be too early: call it more often",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        if ((usage & bit & ~watch->usage) != 0) {
            watch->usage |= bit;
            return texts[i];
        }
    }
    return NULL;
}
