/* SPDX-License-Identifier: MIT */
#include "model/board_watch.h"

#include <stddef.h>

#include "kymo/wire.h"

/* Once, and again if it was well in between. */
static const char *when_new(bool *before, bool now, const char *text) {
    const bool is_new = now && !*before;
    *before = now;
    return is_new ? text : NULL;
}

const char *board_watch_session(struct board_watch *watch, uint8_t flags) {
    const char *past = when_new(&watch->past, (flags & KYMO_SESSION_PAST) != 0, BOARD_WATCH_PAST);
    if (past != NULL) {
        return past;
    }
    return when_new(
        &watch->clock_stands, (flags & KYMO_SESSION_CLOCK_STANDS) != 0,
        "the board's clock stood still at its start, so it records nothing: choose "
        "another clock in its arch port, or start that one before kymo_init() (on Cortex-M: "
        "kymo_cortexm_start())");
}

const char *board_watch_status(struct board_watch *watch, uint8_t flags) {
    return when_new(&watch->unknown_lane, (flags & KYMO_STATUS_UNKNOWN_LANE) != 0,
                    "the board refuses events of a core that has no lane: raise its KYMO_LANES, or "
                    "say in its arch port which core is the first");
}

const char *board_usage_text(unsigned bit) {
    static const char *const texts[] = {
        [KYMO_USAGE_UNPROMISED] =
            "the firmware ended a zone, or left an interrupt, that was not open: look "
            "for a zone that is ended twice",
        [KYMO_USAGE_NO_SITE] = "the firmware began a zone without a site, which was refused: use "
                               "KYMO_ZONE, or pass the address of a site to kymo_zone_begin()",
        [KYMO_USAGE_CONTEXT] =
            "the firmware named a context that is not a multiple of 8, so it may "
            "share a row with another: use the address of an object that is aligned "
            "to 8",
        [KYMO_USAGE_CROSSED] =
            "the firmware ended a zone, or gave it a text, while one inside it was open or in "
            "another context: end zones in the reverse order of their begins, in the context "
            "that began them; kymo_check_failed() on the board is called where it happens",
        [KYMO_USAGE_SILENCE] =
            "the board's clock may have wrapped unseen, so times may be too early: "
            "call kymo_drain() or kymo_clock_keepalive() at least once in half a wrap "
            "of the clock less 1 %",
        [KYMO_USAGE_CONTEXTS] =
            "tasks ended with open zones that the board had not counted, so part of "
            "its ring stays reserved: raise its KYMO_CONTEXTS",
        [KYMO_USAGE_INTERRUPT] =
            "the firmware did not leave an interrupt, or another one than it entered last: hand "
            "the result of each kymo_interrupt_enter() to kymo_interrupt_leave() in the same "
            "handler, also before siglongjmp(), or use KYMO_INTERRUPT",
        [KYMO_USAGE_OPEN] =
            "the firmware had more zones open at a time than KYMO_CHECK follows: look for zones "
            "that are never ended, or raise KYMO_CHECK",
        [KYMO_USAGE_DRAIN_CORE] =
            "kymo_drain() ran on another core than the one that records, which may damage "
            "events: set KYMO_LANES to 2, or drain on the core that records",
        [KYMO_USAGE_DATA] =
            "the firmware's initialised variables do not hold their values: its start-up code "
            "copies .data from another address than the linker placed it at; see 'Linker "
            "scripts' in kymo's doc/your-own-board.md",
        [KYMO_USAGE_SITES] =
            "the sites are not in memory, so nothing has a name: the linker script places "
            "kymo_sites where the start-up code copies nothing to; see 'Linker scripts' in "
            "kymo's "
            "doc/your-own-board.md",
    };
    return bit < sizeof texts / sizeof *texts && texts[bit] != NULL
               ? texts[bit]
               : "the firmware made a usage error that this hostlink does not know: update "
                 "hostlink";
}

const char *board_watch_usage(struct board_watch *watch, uint64_t usage) {
    for (unsigned bit = 0; bit < BOARD_USAGE_BITS; bit++) {
        const uint64_t mask = UINT64_C(1) << bit;
        if ((usage & mask) != 0 && (watch->usage & mask) == 0) {
            watch->usage |= mask;
            return board_usage_text(bit);
        }
    }
    return NULL;
}
