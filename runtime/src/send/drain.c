/* SPDX-License-Identifier: MIT */
/* Sending: packets are built byte by byte in a circular buffer and leave it in pieces. Each call does a
 * bounded part of that, and the next one continues. */
#include "../ring/lane.h"
#include "../ring/ring.h"
#include "link.h"

#if KYMO_ENABLE

/* The final status may be damaged on the way like any other packet. */
#define FINAL_PACKETS 3u
/* So many commands are obeyed once the end is asked for and all events are out. */
#define LAST_COMMANDS 16u
/* Bytes that a UART with an interrupt gets at a time, with less than so many ready. */
#define PACED_BYTES 8u
#define PACED_READY_BYTES 192u

/* Work to end a packet, which may be put off to the next call. */
#define END_WORK (450 + (KYMO_COPIES ? 200 : 0))

_Static_assert(KYMO_WORK_STEPS >= KYMO_WORK_LEAST,
               "raise KYMO_DRAIN_INSTRUCTIONS for so many lanes, contexts, slots and large things");

/* ---- commands ---- */

#if KYMO_COMMANDS
/* Reads a FIFO of 16 bytes empty, as more bytes arrive before the next call. True if there may be more. A flood of
 * commands must not starve events. */
KYMO_INLINE_ bool receive(struct kymo_link *link) {
    const struct kymo_transport *const from = link->transport;
    uint8_t bytes[KYMO_RECEIVE_BYTES];
    if (from->read == NULL) {
        return false;
    }
    if (link->received) {
        link->received = false;
        return true;
    }
    const size_t count = from->read(from->context, bytes, sizeof bytes);
    return count != 0u && kymo_command_bytes(link, bytes, count);
}
#else
static bool receive(struct kymo_link *link) { return (void)link, false; }
#endif

/* ---- building it ---- */

static enum kymo_step next_step(struct kymo_link *link) {
    if (link->packet.type == 0u) {
        return kymo_packet_choose(link);
    }
    const enum kymo_step step =
        link->packet.describe == NULL ? kymo_events_put(link) : kymo_packet_put(link);
    if (step != KYMO_STEP_DONE) {
        return step;
    }
    return link->out.work >= END_WORK ? kymo_packet_end(link) : KYMO_STEP_FURTHER;
}

static bool build(struct kymo_link *link) {
    link->moved = false;
    link->quiet_ticks = 0u;
    while (link->out.work >= KYMO_WORK_STEP && next_step(link) != KYMO_STEP_WAIT) {
        link->moved = true;
    }
    return link->moved;
}

/* The core of the only lane has the number 0. */
static void look_at_core(void) {
    if (KYMO_LANE_ASKED && !KYMO_CORES_IN_ORDER && kymo_arch_lane() != 0u) {
        kymo_usage_error(KYMO_USAGE_DRAIN_CORE);
    }
}

/* ---- giving it ---- */

/* While events wait, a UART gets half its FIFO at a time: with the whole of it no more is made before it runs empty,
 * and a call makes less than that. Not where so much is ready that this lasts. */
static size_t paced(struct kymo_link *link, size_t budget) {
    link->out.work -= KYMO_WORK_LANE * KYMO_LANES;
    return link->out.ready < PACED_READY_BYTES && budget > PACED_BYTES && !kymo_rings_are_empty()
               ? PACED_BYTES
               : budget;
}

static __attribute__((noinline)) size_t give_out(struct kymo_link *link, size_t budget) {
    link->out.work -= KYMO_WORK_GIVE;
    const size_t most = link->transport->again == NULL ? budget : paced(link, budget);
    const size_t sent = kymo_out_send(&link->out, link->transport, most);
    link->owed = (uint16_t)(sent < link->owed ? link->owed - sent : 0u);
    link->closing = link->closing && (link->finals_left != 0u || !kymo_link_is_empty(link));
    return sent;
}

/* ---- calls of the firmware ---- */

/* What other calls ask for. kymo_finish() may interrupt this, and is then seen by the next call. */
static __attribute__((noinline)) void look_at_calls(struct kymo_link *link) {
    link->text_waits = link->text_waits && !kymo_link_is_empty(link);
    /* Another core may see the two in another order: then it is of the next call. */
    if (link->finish_asked && link->begin_final != NULL) {
        link->finish_asked = false;
        link->quiet_ticks = 0u;
        link->closing = true;
        link->events_out = false;
#if KYMO_COMMANDS
        link->commands_left = LAST_COMMANDS;
#endif
        link->finals_left = FINAL_PACKETS;
    }
}

static bool is_quiet(const struct kymo_link *link, uint32_t now) {
    return now - link->quiet_at < link->quiet_ticks && kymo_rings_are_empty();
}

static bool drain_once(struct kymo_link *link, size_t budget) {
    const uint32_t now = (uint32_t)kymo_arch_clock();
    size_t sent = 0u;
    bool is_full = false;
    if (now - link->alive_at >= KYMO_ALIVE_LATE_TICKS) {
        link->alive_at = now;
        kymo_keep_all_alive();
    }
    if (link->text_waits || link->finish_asked) {
        look_at_calls(link);
    }
    if (link->out.ready != 0u) { /* first: the line must not idle while more is made */
        sent = give_out(link, budget);
        is_full = link->out.ready != 0u;
    }
    bool moved = receive(link);
    if (!is_quiet(link, now)) {
        moved = build(link) || moved;
    }
    /* Without work for it, the next call does so first. */
    const bool is_put_off = !is_full && link->out.work < KYMO_WORK_GIVE;
    if (!is_full && !is_put_off && (link->out.ready != 0u || link->closing)) {
        sent += give_out(link, budget - sent);
    }
    return (moved || sent != 0u) && (link->out.ready == 0u || sent == budget || is_put_off);
}

/* The interrupt of a call that was turned away does not come again. */
static bool enter_again(struct kymo_link *link) {
    return link->turned_away && kymo_link_enter(link);
}

/* Apart, as a call with nothing to do needs few registers. */
static __attribute__((noinline)) bool drain(struct kymo_link *link, size_t budget_bytes) {
    const size_t budget = budget_bytes == 0u ? SIZE_MAX : budget_bytes;
    bool moved;
    for (;;) {
        moved = drain_once(link, budget);
        kymo_link_leave(link);
        if (!enter_again(link)) {
            break;
        }
        link->out.work = KYMO_WORK_STEPS;
    }
    if (moved && link->transport->again != NULL) {
        link->transport->again(link->transport->context);
    }
    return moved;
}

/* There is nothing to send, and nothing comes. Closing, no call is quiet. */
KYMO_INLINE_ bool is_idle(struct kymo_link *link) {
    return link->out.ready == 0u && !link->finish_asked &&
           is_quiet(link, (uint32_t)kymo_arch_clock()) && !receive(link) && link->quiet_ticks != 0u;
}

bool kymo_drain(size_t budget_bytes) {
    struct kymo_link *link = &kymo_link;
    if (link->transport == NULL) {
        kymo_keep_all_alive();
        return false;
    }
    if (!kymo_link_enter(link)) {
        return false;
    }
    look_at_core();
    link->out.work = KYMO_WORK_STEPS;
    if (is_idle(link)) {
        kymo_link_leave(link);
        if (!enter_again(link)) {
            return false;
        }
    }
    return drain(link, budget_bytes);
}

#endif
