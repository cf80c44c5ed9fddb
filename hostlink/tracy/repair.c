/* SPDX-License-Identifier: MIT */
#include "tracy/repair.h"

#include <string.h>

static const char *const texts[TRACY_REPAIR_COUNT] = {
#define TRACY_REPAIR_LINE(name, text) text,
    TRACY_REPAIR_TABLE(TRACY_REPAIR_LINE)
#undef TRACY_REPAIR_LINE
};

bool tracy_repairs_count(struct tracy_repairs *repairs, enum tracy_repair repair) {
    repairs->total++;
    return ++repairs->count[repair] <= TRACY_REPAIRS_SHOWN;
}

static enum tracy_repair of_zone(enum zone_repair why) {
    return why == ZONE_ENDED         ? TRACY_REPAIR_COUNT
           : why == ZONE_END_MISSING ? TRACY_REPAIR_ZONE_MISSING
           : why == ZONE_END_UNSURE  ? TRACY_REPAIR_ZONE_UNSURE
           : why == ZONE_END_TASK    ? TRACY_REPAIR_ZONE_TASK
           : why == ZONE_END_LEFT    ? TRACY_REPAIR_ZONE_LEFT
           : why == ZONE_END_OPEN    ? TRACY_REPAIR_ZONE_OPEN
                                     : TRACY_REPAIR_ZONE_LOST;
}

static enum tracy_repair of_what_was_left_out(enum repair repair) {
    return repair == REPAIR_TOO_DEEP              ? TRACY_REPAIR_TOO_DEEP
           : repair == REPAIR_NOTE_WITHOUT_ZONE   ? TRACY_REPAIR_NO_ZONE
           : repair == REPAIR_NOT_LEFT            ? TRACY_REPAIR_NOT_LEFT
           : repair == REPAIR_GIVE_WITHOUT_HOLD   ? TRACY_REPAIR_NOT_HELD
           : repair == REPAIR_FRAME_WITHOUT_START ? TRACY_REPAIR_FRAME_WITHOUT_START
           : repair == REPAIR_ASYNC_WITHOUT_BEGIN ? TRACY_REPAIR_ASYNC_WITHOUT_BEGIN
           : repair == REPAIR_TIME_BACK           ? TRACY_REPAIR_TIME_BACK
           : repair == REPAIR_CLOCK_ANEW          ? TRACY_REPAIR_CLOCK_ANEW
                                                  : TRACY_REPAIR_END_WITHOUT_BEGIN;
}

enum tracy_repair tracy_repair_of(const struct event *event) {
    switch (event->kind) {
    case EVENT_ZONE_END:
        return of_zone(event->u.zone.repaired);
    case EVENT_REPAIR:
        return of_what_was_left_out(event->u.repair);
    case EVENT_FREE:
        return event->u.memory.repaired ? TRACY_REPAIR_ALLOC_TWICE : TRACY_REPAIR_COUNT;
    case EVENT_FRAME_END:
        return event->u.frame.repaired == FRAME_ENDED           ? TRACY_REPAIR_COUNT
               : event->u.frame.repaired == FRAME_STARTED_AGAIN ? TRACY_REPAIR_FRAME_TWICE
                                                                : TRACY_REPAIR_FRAME_OPEN;
    default:
        return TRACY_REPAIR_COUNT;
    }
}

const char *tracy_repair_text(enum tracy_repair repair) { return texts[repair]; }

void tracy_repairs_restart(struct tracy_repairs *repairs) {
    memset(repairs->count, 0, sizeof repairs->count);
}
