/* SPDX-License-Identifier: MIT */
#include "sink/ring_need.h"

/* Record sizes (runtime/MEMORY.md, section 4): two words, plus a payload that nearly always has two words. */
#define SHORT_BYTES 8u
#define LONG_BYTES 16u
#define RING_BYTES_MAX (UINT64_C(1) << 24)

static unsigned record_bytes(const struct event *event) {
    switch (event_payload(event->kind)) {
    case KYMO_CARRIES_NONE:
        return SHORT_BYTES;
    case KYMO_CARRIES_TEXT:
    case KYMO_CARRIES_MESSAGE:
        return LONG_BYTES + 8u * ((unsigned)(event->u.text.length + 7u) / 8u);
    default:
        return LONG_BYTES;
    }
}

static void take_gap(struct ring_need *need, struct ring_need_core *core, const struct event *gap) {
    if (gap->u.gap.cause != GAP_RING_FULL) {
        return;
    }
    if (core->burst.lost == 0 || core->since_bytes >= need->ring_bytes) {
        core->burst = (struct ring_burst){.from_ns = gap->u.gap.start_ns};
    }
    core->burst.lost += gap->u.gap.lost;
    core->burst.to_ns = gap->time_ns;
    core->lost += gap->u.gap.lost;
    core->since_bytes = 0;
    if (core->burst.lost > core->longest.lost) {
        core->longest = core->burst;
    }
}

int ring_need_event(void *context, const struct event *event) {
    struct ring_need *need = context;
    const bool recorded = (uint32_t)event->kind < 256 || event->kind == EVENT_SWITCH;
    if (event->track == NULL || event->track->core >= RING_NEED_CORES ||
        (!recorded && event->kind != EVENT_GAP)) {
        return 0;
    }
    struct ring_need_core *core = &need->cores[event->track->core];
    core->first_ns = core->events + core->lost == 0 ? event->time_ns : core->first_ns;
    core->last_ns = event->time_ns > core->last_ns ? event->time_ns : core->last_ns;
    if (event->kind == EVENT_GAP) {
        take_gap(need, core, event);
        return 0;
    }
    const unsigned bytes =
        recorded && event->kind != EVENT_SWITCH ? record_bytes(event) : SHORT_BYTES;
    core->events++;
    core->since_bytes += bytes;
    need->events++;
    need->record_bytes += bytes;
    return 0;
}

static const struct ring_need_core *worst(const struct ring_need *need) {
    const struct ring_need_core *found = NULL;
    for (unsigned i = 0; i < RING_NEED_CORES; i++) {
        const struct ring_need_core *core = &need->cores[i];
        found =
            core->lost != 0 && (!found || core->longest.lost > found->longest.lost) ? core : found;
    }
    return found;
}

static uint32_t power_above(uint64_t bytes) {
    uint64_t power = 1;
    while (power < bytes) {
        power *= 2;
    }
    return power <= RING_BYTES_MAX ? (uint32_t)power : 0;
}

struct ring_answer ring_need_answer(const struct ring_need *need) {
    const struct ring_need_core *core = worst(need);
    struct ring_answer answer = {0};
    if (!core || need->events == 0 || need->ring_bytes == 0) {
        return answer;
    }
    const double span_s = (double)(core->last_ns - core->first_ns) / 1e9;
    const struct ring_burst *burst = &core->longest;
    answer.burst_ns = (uint64_t)(burst->to_ns - burst->from_ns);
    answer.lost = burst->lost;
    answer.is_lasting = (double)answer.burst_ns > 0.5e9 * span_s;
    if (answer.is_lasting && span_s > 0) {
        answer.lost = core->lost;
        answer.recorded = (double)(core->events + core->lost) / span_s;
        answer.sent = (double)core->events / span_s;
    }
    const uint64_t mean = (need->record_bytes + need->events - 1) / need->events;
    const bool is_sum = burst->lost < RING_BYTES_MAX;
    answer.bytes = is_sum ? power_above(need->ring_bytes + burst->lost * mean) : 0;
    return answer;
}
