/* SPDX-License-Identifier: MIT */
#include "report/arrows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static bool make(struct report_arrows *a) {
    if (!a->list) {
        a->list = calloc(ARROWS_MAX, sizeof *a->list);
        a->sent = calloc(ARROWS_OPEN, sizeof *a->sent);
        a->step = 1;
    }
    return a->list && a->sent;
}

static void add(struct report_arrows *a, struct arrow arrow) {
    if (a->seen++ % a->step != 0) {
        return;
    }
    if (a->count == ARROWS_MAX) { /* those of twice the step stay */
        for (uint32_t i = 0; i < ARROWS_MAX / 2; i++) {
            a->list[i] = a->list[2 * i];
        }
        a->count = ARROWS_MAX / 2;
        a->step *= 2;
    }
    a->list[a->count++] = arrow;
}

int report_arrows_flow(struct report_arrows *a, const struct event *event, uint32_t name) {
    if (!make(a)) {
        return -ENOMEM;
    }
    struct arrow_sent *sent = &a->sent[event->u.flow.number % ARROWS_OPEN];
    const struct arrow_end here = {event->time_ns, event->track->id};
    if (event->kind != EVENT_FLOW_SEND && sent->number == event->u.flow.number) {
        add(a, (struct arrow){sent->at, here, name});
    }
    *sent = (struct arrow_sent){.at = here};
    sent->number = event->kind != EVENT_FLOW_RECEIVE ? event->u.flow.number : 0;
    return 0;
}

void report_arrows_write(const struct report_arrows *a, struct outfile *out) {
    outfile_printf(out, "\"arrows\":[");
    for (uint32_t i = 0; i < a->count; i++) {
        const struct arrow *arrow = &a->list[i];
        outfile_printf(out, "%s[%" PRId64 ",%" PRId64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]",
                       i == 0 ? "" : ",", arrow->from.time_ns, arrow->to.time_ns, arrow->from.track,
                       arrow->to.track, arrow->name);
    }
    outfile_printf(out, "],\"arrows_seen\":%" PRIu64, a->seen);
}

void report_arrows_free(struct report_arrows *a) {
    free(a->list);
    free(a->sent);
}
