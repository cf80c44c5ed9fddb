/* SPDX-License-Identifier: MIT */
/* Which lanes have something to send, and which never will. */
#include "../ring/lane.h"
#include "../ring/ring.h"
#include "contexts.h"
#include "link.h"

#if KYMO_ENABLE

/* Work of a packet that may end; of each other lane that may wait for that. */
#define OVER_WORK 150
#define OTHER_LANE_WORK (12 + (KYMO_COPIES ? 20 : 0))

/* One lane has the packet to itself, which stays open while it fills. With several lanes, a packet is begun when a lane
 * holds enough to fill one (five bytes in the ring take one on the wire), or a quarter of a small ring. */
#define FULL_PACKET_BYTES (6u * KYMO_PACKET_BYTES)
#define WORTH_BYTES                                                                                \
    (KYMO_RING_BYTES / 4u < FULL_PACKET_BYTES ? KYMO_RING_BYTES / 4u : FULL_PACKET_BYTES)

uint32_t kymo_lane_peek(struct kymo_lane *lane, uint32_t *header) {
    return KYMO_RINGS_KNOWN ? kymo_ring_peek(lane, header) : 0u;
}

static bool has_record(struct kymo_lane *lane) {
    uint32_t header = 0u;
    return kymo_lane_peek(lane, &header) != 0u;
}

#if KYMO_ARCH_NESTS
void kymo_hurry(bool hurries) {
    kymo_link.hurries = hurries;
    kymo_link.quiet_ticks = 0u;
}

static bool has_time(const struct kymo_link *link) { return !link->hurries; }
#else
static bool has_time(const struct kymo_link *link) {
    (void)link;
    return true;
}
#endif

#if KYMO_TASK_OVER
struct kymo_task_over kymo_task_over;

/* True: the record that comes next was begun by a task that is over. A later task of this number has switched to its
 * context before, at a later time. */
static bool is_of_task_over(const struct kymo_lane *lane) {
    const uint32_t context = KYMO_ACQUIRE(kymo_task_over.context);
    return context != 0u && lane->time < kymo_task_over.time &&
           lane->context_out == (kymo_wire_reference(context) ^ KYMO_MAIN_CONTEXT);
}
#else
static bool is_of_task_over(const struct kymo_lane *lane) { return (void)lane, false; }
#endif

/* True: a record that will never be complete was passed over, and another one follows it. */
static bool pass_dead(struct kymo_lane *lane) {
#if KYMO_TASK_OVER || (KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST)
    return kymo_ring_pass(lane, is_of_task_over(lane)) && has_record(lane);
#else
    return is_of_task_over(lane);
#endif
}

static bool must_go(const struct kymo_link *link, uint32_t since, uint32_t now) {
    return link->finals_left != 0u || !has_time(link) || !kymo_ring_is_current() ||
           now - since >= kymo_link_ticks(KYMO_LATENCY_MS);
}

bool kymo_lane_is_ready(struct kymo_link *link, struct kymo_lane *lane, uint32_t now) {
    link->out.work -= KYMO_WORK_LOOK;
    const bool has = has_record(lane) || pass_dead(lane);
    const uint32_t used_bytes = kymo_ring_used_bytes(lane);
    link->lanes_hold = (link->lanes_hold && link->lanes_seen != 1u) || used_bytes != 0u;
    kymo_info_ring_holds(link, (uint32_t)kymo_lane_index(lane), used_bytes);
    if (!has) {
        lane->waiting = false;
        if (used_bytes == 0u) {
            kymo_contexts_read_all(lane);
        }
        return false;
    }
    if (!lane->waiting) {
        lane->waiting = true;
        lane->waiting_since = now;
    }
    return KYMO_LANES == 1 || used_bytes >= WORTH_BYTES || must_go(link, lane->waiting_since, now);
}

#if KYMO_LANES > 1
static bool others_wait(const struct kymo_lane *lane) {
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        if (&kymo_lanes[i] != lane && !kymo_ring_is_empty(&kymo_lanes[i])) {
            return true;
        }
    }
    return false;
}
#else
static bool others_wait(const struct kymo_lane *lane) { return (void)lane, false; }
#endif

bool kymo_lane_is_over(struct kymo_link *link, struct kymo_lane *lane) {
    const uint32_t now = (uint32_t)kymo_arch_clock();
    const uint32_t since = link->packet.of.events.since;
    link->out.work -= OVER_WORK + OTHER_LANE_WORK * (KYMO_LANES - 1);
    if (must_go(link, since, now) || !kymo_ring_is_empty(lane) || others_wait(lane) ||
        kymo_packets_due(link, now)) {
        return true;
    }
    kymo_be_quiet(link, now, kymo_link_ticks(KYMO_LATENCY_MS) - (now - since));
    return false;
}

bool kymo_events_waiting(void) {
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        if (has_record(&kymo_lanes[i])) {
            return true;
        }
    }
    return false;
}

#if KYMO_KEEP_NEWEST
bool kymo_events_held_up(struct kymo_link *link) { return (void)link, false; }
#else
#define KYMO_PATIENCE_MS 100u

bool kymo_events_held_up(struct kymo_link *link) {
    const uint32_t now = (uint32_t)kymo_arch_clock();
    const bool was_held_up = link->held_up;
    link->held_up = link->lanes_hold;
    if (!link->held_up || !was_held_up) {
        link->held_up_at = now;
    } else if (now - link->held_up_at >= kymo_link_ticks(KYMO_PATIENCE_MS)) {
        link->held_up = false;
        for (unsigned i = 0u; i < KYMO_LANES; i++) {
            kymo_ring_abandon(&kymo_lanes[i]);
        }
        return true;
    }
    return link->held_up;
}
#endif

#endif
