/* SPDX-License-Identifier: MIT */
#include "tracy/crash.h"

#include "tracy/encode.h"

void tracy_crash_restate(struct tracy_encode *e) {
    const int64_t time_ns = e->crash.time_ns;
    if (e->connected && e->crash.text != 0) {
        tracy_put_thread(&e->stream, e->crash.thread);
        tracy_put_item(
            &e->stream, TRACY_CRASH_REPORT,
            &(struct tracy_fields){.time_ns = time_ns < e->base_ns ? e->base_ns : time_ns,
                                   .key = e->crash.text});
    }
}

/* A viewer holds one. */
void tracy_crash_take(struct tracy_encode *e, const struct event *message) {
    if (message->site->level != KYMO_LEVEL_CRASH) {
        return;
    }
    e->crash.leaves_open = true;
    if (e->crash.text == 0) {
        e->crash.text = tracy_names_text(&e->names, message->u.text.bytes);
        e->crash.time_ns = message->time_ns;
        e->crash.thread = message->track->id;
        tracy_crash_restate(e);
    }
}

bool tracy_crash_leaves_open(const struct tracy_encode *e, const struct event *end) {
    return e->crash.leaves_open && end->u.zone.repaired == ZONE_END_OPEN;
}

void tracy_crash_end(struct tracy_encode *e) {
    if (e->crash.text != 0) {
        tracy_put_item(&e->stream, TRACY_CRASH, &(struct tracy_fields){0});
    }
}
