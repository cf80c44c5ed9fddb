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
/* The longest text, and the space before it for its encoding: its head, and all its codes. */
#define TEXT_BYTES (KYMO_PACKET_BYTES - 16u)
#define TEXT_AHEAD (KYMO_STUFFING_BYTES + 2u)

_Static_assert(KYMO_DRAIN_INSTRUCTIONS >=
                   KYMO_WORK_CALL + KYMO_WORK_LANE * KYMO_LANES + KYMO_WORK_LEAST,
               "raise KYMO_DRAIN_INSTRUCTIONS for so many lanes, contexts, slots and large things");

/* ---- one context at a time ---- */

/* A context that interrupts a call must return before that goes on: then nothing happens between the test and
 * the store that matters. */
static bool enter(struct kymo_link *link) {
    if (link->in_use) {
        link->turned_away = true;
        return false;
    }
    link->turned_away = false;
    link->in_use = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

static bool is_empty(const struct kymo_link *link) {
    return link->packet.type == 0u && link->out.ready == 0u;
}

static void leave(struct kymo_link *link) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    link->in_use = false;
}

/* ---- commands ---- */

#if KYMO_COMMANDS
/* Reads a FIFO of 16 bytes empty, as more bytes arrive before the next call. True if there may be more. A flood of
 * commands must not starve events. */
KYMO_INLINE_ bool receive(struct kymo_link *link) {
    uint8_t bytes[KYMO_RECEIVE_BYTES];
    if (link->received) {
        link->received = false;
        return true;
    }
    const size_t count = link->transport->read(link->transport->context, bytes, sizeof bytes);
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
        link->packet.describe == NULL ? kymo_events_step(link) : kymo_packet_put(link);
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

/* ---- the end ---- */

/* kymo_finish() may interrupt this, and is then seen by the next call. */
static void begin_closing(struct kymo_link *link) {
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

/* While events wait, a UART gets half its FIFO at a time: with the whole of it no more is made before it runs empty,
 * and a call makes less than that. Not where so much is ready that this lasts. */
static __attribute__((noinline)) size_t paced(struct kymo_link *link, size_t budget) {
    link->out.work -= KYMO_WORK_LANE * KYMO_LANES;
    return link->out.ready < PACED_READY_BYTES && budget > PACED_BYTES && !kymo_rings_are_empty()
               ? PACED_BYTES
               : budget;
}

static size_t give_out(struct kymo_link *link, size_t budget) {
    link->out.work -= KYMO_WORK_GIVE;
    const size_t most = link->transport->again == NULL ? budget : paced(link, budget);
    const size_t sent = kymo_out_send(&link->out, link->transport, most);
    link->owed = (uint16_t)(sent < link->owed ? link->owed - sent : 0u);
    link->closing = link->closing && (link->finals_left != 0u || !is_empty(link));
    return sent;
}

/* ---- calls of the firmware ---- */

static bool is_quiet(const struct kymo_link *link) {
    return (uint32_t)kymo_arch_clock() - link->quiet_at < link->quiet_ticks &&
           kymo_rings_are_empty();
}

/* There is nothing to send, and nothing comes. Closing, no call is quiet. */
static bool is_idle(struct kymo_link *link) {
    return link->out.ready == 0u && !link->finish_asked && link->quiet_ticks != 0u &&
           is_quiet(link) &&
           (link->transport->read == NULL || (!receive(link) && link->quiet_ticks != 0u));
}

static bool drain_once(struct kymo_link *link, size_t budget) {
    size_t sent = 0u;
    bool is_full = false;
    kymo_keep_all_alive();
    if (link->text_waits) {
        link->text_waits = !is_empty(link);
    }
    begin_closing(link);
    if (link->out.ready != 0u) { /* first: the line must not idle while more is made */
        sent = give_out(link, budget);
        is_full = link->out.ready != 0u;
    }
    bool moved = link->transport->read != NULL && receive(link);
    if (link->quiet_ticks == 0u || !is_quiet(link)) {
        moved = build(link) || moved;
    }
    /* Without work for it, the next call does so first. */
    const bool is_put_off = !is_full && link->out.work < KYMO_WORK_GIVE;
    if (!is_full && !is_put_off && (link->out.ready != 0u || link->closing)) {
        sent += give_out(link, budget - sent);
    }
    return (moved || sent != 0u) && (link->out.ready == 0u || sent == budget || is_put_off);
}

static void begin_call(struct kymo_link *link) {
    link->out.work = KYMO_DRAIN_INSTRUCTIONS - KYMO_WORK_CALL - KYMO_WORK_LANE * KYMO_LANES;
}

/* The interrupt of a call that was turned away does not come again. */
static bool enter_again(struct kymo_link *link) { return link->turned_away && enter(link); }

/* Apart, as a call with nothing to do needs few registers. */
static __attribute__((noinline)) bool drain(struct kymo_link *link, size_t budget_bytes) {
    const size_t budget = budget_bytes == 0u ? SIZE_MAX : budget_bytes;
    bool moved;
    for (;;) {
        moved = drain_once(link, budget);
        leave(link);
        if (!enter_again(link)) {
            break;
        }
        begin_call(link);
    }
    if (moved && link->transport->again != NULL) {
        link->transport->again(link->transport->context);
    }
    return moved;
}

bool kymo_drain(size_t budget_bytes) {
    struct kymo_link *link = &kymo_link;
    if (link->transport == NULL) {
        kymo_keep_all_alive();
        return false;
    }
    if (!enter(link)) {
        return false;
    }
    look_at_core();
    begin_call(link);
    if (is_idle(link)) {
        leave(link);
        if (!enter_again(link)) {
            return false;
        }
    }
    return drain(link, budget_bytes);
}

/* Calls that do not drain leave the work to the handler, so that they need little stack. */
static void raise_turned_away(struct kymo_link *link) {
    if (link->turned_away && link->transport->again != NULL) {
        link->transport->again(link->transport->context);
    }
}

/* An interrupting call returns at once. */
bool kymo_pending(void) {
    struct kymo_link *link = &kymo_link;
    if (link->transport == NULL) {
        return false;
    }
    if (!enter(link)) {
        return true;
    }
    const bool pending = link->owed != 0u || kymo_packet_is_owed(link) ||
                         !kymo_sites_introduced(link) || link->finish_asked || link->closing ||
                         kymo_events_waiting() || kymo_large_waits() || kymo_devices_wait(link) ||
                         !kymo_ring_is_current();
    leave(link);
    raise_turned_away(link);
    return pending;
}

void kymo_finish(void) {
    kymo_link.begin_final = kymo_final_begin;
    kymo_link.finish_asked = true;
}

/* The text waits in the free part of the buffer, so far ahead that encoding it cannot overwrite it. */
static void keep_text(struct kymo_link *link, const char *text, uint32_t length) {
    uint32_t at = link->out.write + TEXT_AHEAD;
    at -= at < KYMO_OUT_BYTES ? 0u : KYMO_OUT_BYTES;
    link->packet.of.text.at = (uint16_t)at;
    link->packet.of.text.left = (uint16_t)length;
    for (uint32_t i = 0u; i < length; i++) {
        link->out.bytes[at++] = (uint8_t)text[i];
        at = at < KYMO_OUT_BYTES ? at : 0u;
    }
}

bool kymo_print(const char *text, size_t length) {
    struct kymo_link *link = &kymo_link;
    const uint32_t bytes = text == NULL ? 0u : length < TEXT_BYTES ? (uint32_t)length : TEXT_BYTES;
    if (link->transport == NULL || !enter(link)) {
        return false;
    }
    const bool fits = link->packet.type == 0u &&
                      kymo_out_room(&link->out) >= TEXT_AHEAD + bytes + KYMO_OUT_END_ROOM;
    link->text_waits = !fits;
    link->quiet_ticks = 0u;
    if (fits) {
        keep_text(link, text, bytes);
        kymo_packet_begin(link, KYMO_PACKET_TEXT, kymo_describe_text);
    }
    leave(link);
    raise_turned_away(link);
    return fits;
}

#endif
