/* SPDX-License-Identifier: MIT */
/* What is sent: packets are built byte by byte in a circular buffer and leave it in pieces. Each call does a
 * bounded part of that, and the next one goes on. */
#include "../record/task_events.h"
#include "../ring/lane.h"
#include "../ring/ring_read.h"
#include "link.h"

#if KYMO_ENABLE

/* The final status may be damaged on the way like any other packet. */
#define FINAL_PACKETS 3u
/* So many commands are obeyed once the end is asked for and all events are out. */
#define LAST_COMMANDS 16u
/* Least time between two packets that tell of refused commands. */
#define GUARD_MS 100u

/* Bytes that a UART with an interrupt gets at a time, with less than so many ready. */
#define PACED_BYTES 8u
#define PACED_READY_BYTES 192u

/* Work: of a byte that is received; of a command that is obeyed. */
#define RECEIVE_WORK 75
#define COMMAND_WORK 150
/* Bytes that are read at a time, and the work for which more are. */
#define RECEIVE_BYTES 8u
#define RECEIVE_MORE_WORK (RECEIVE_WORK * (int32_t)RECEIVE_BYTES + COMMAND_WORK)
/* Of the end of a packet, which may be put off to the next call. */
#define END_WORK (450 + (KYMO_COPIES ? 200 : 0))
/* Of a look whether a ring that keeps the newest is empty. */
#define EMPTY_WORK 30
/* Of a lane of which a packet may begin; of the beginning, beside its bytes. */
#define BEGIN_WORK (620 + KYMO_WORK_RECALL)
#define BEGIN_MORE_WORK 90
/* And beside its bytes. */
#define END_MORE_WORK (180 + (KYMO_COPIES ? 200 : 0))
/* Of a part of a packet that is put together, beside what its bytes take there. */
#define DESCRIBE_WORK (200 + (KYMO_DYNAMIC_SITES ? 100 : 0))
#define DESCRIBED_WORK (DESCRIBE_WORK + KYMO_WORK_BYTES + KYMO_WORK_BYTE * (int32_t)KYMO_PART_BYTES)
/* Of the longest text, and how far before it what becomes of it begins: its head, and all its codes. */
#define TEXT_BYTES (KYMO_PACKET_BYTES - 16u)
#define TEXT_AHEAD (KYMO_STUFFING_BYTES + 2u)

_Static_assert(KYMO_DRAIN_INSTRUCTIONS >= 2000, "KYMO_DRAIN_INSTRUCTIONS must be 2000 or more");
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

/* ---- commands, and what they ask for ---- */

void kymo_packet_begin(struct kymo_link *link, enum kymo_packet_type type,
                       kymo_describe *describe) {
    link->packet.describe = describe;
    link->packet.type = (uint8_t)type;
    link->packet.next = 0u;
    link->packet.text_left = 0u;
    link->lanes_seen = 0u;
    link->out.work -= BEGIN_MORE_WORK;
    kymo_out_begin(&link->out, type);
}

#if KYMO_COMMANDS
/* The end is not put off by a host that goes on asking. */
static bool may_obey(struct kymo_link *link) {
    if (!link->closing || !link->events_out) {
        return true;
    }
    if (link->commands_left == 0u) {
        return false;
    }
    link->commands_left--;
    return true;
}

static void take_byte(struct kymo_link *link, uint8_t byte) {
    const uint32_t length = kymo_packet_receive(&link->in, byte);
    link->out.work -= RECEIVE_WORK;
    if (length != 0u && may_obey(link)) {
        link->out.work -= COMMAND_WORK;
        kymo_command_take(link, link->in.bytes, length);
    }
}

/* The first bytes, and more. */
static __attribute__((noinline)) bool take_bytes(struct kymo_link *link, uint8_t *bytes,
                                                 size_t count) {
    link->quiet_ticks = 0u;
    for (;;) {
        for (size_t i = 0u; i < count && i < RECEIVE_BYTES; i++) {
            take_byte(link, bytes[i]);
        }
        if (count < RECEIVE_BYTES || link->out.work < RECEIVE_MORE_WORK) {
            break;
        }
        count = link->transport->read(link->transport->context, bytes, RECEIVE_BYTES);
    }
    link->received = link->out.work < KYMO_WORK_LEAST;
    return count >= RECEIVE_BYTES;
}

/* Reads a FIFO of 16 bytes empty, as more bytes arrive before the next call. True if there may be more. A flood of
 * commands must not starve events. */
static inline __attribute__((always_inline)) bool receive(struct kymo_link *link) {
    uint8_t bytes[RECEIVE_BYTES];
    if (link->received) {
        link->received = false;
        return true;
    }
    const size_t count = link->transport->read(link->transport->context, bytes, sizeof bytes);
    return count != 0u && take_bytes(link, bytes, count);
}

/* With each session, and when something was refused: but not as often as that, or a host that
 * floods the board with commands would leave no room for events. */
static bool begin_guard(struct kymo_link *link, uint32_t now) {
    bool soon = link->guard.news && now - link->guard.at >= kymo_link_ticks(GUARD_MS);
    if (!soon && !link->guard.due) {
        return false;
    }
    link->guard.at = now;
    link->guard.due = link->guard.news = false;
    kymo_packet_begin(link, KYMO_PACKET_GUARD, kymo_describe_guard);
    return true;
}

static bool is_greeted(const struct kymo_link *link) { return link->greeted; }
static bool guard_due(const struct kymo_link *link) { return link->guard.news || link->guard.due; }

static bool reply_due(const struct kymo_link *link) {
    return link->pong_due || kymo_describe_param_due(link);
}

/* Answers to commands; and the values of all parameters, once their names are out. */
static bool begin_reply(struct kymo_link *link, uint32_t now) {
    if (link->pong_due) {
        link->answered = true;
        link->pong_due = false;
        link->packet.of.pong.cookie = link->pong_cookie;
        link->packet.of.pong.ticks = link->pong_ticks;
        kymo_packet_begin(link, KYMO_PACKET_PONG, kymo_describe_pong);
        return true;
    }
    if (begin_guard(link, now)) {
        return true;
    }
    if (kymo_sites_left(link)) {
        return false;
    }
    const enum kymo_step step = kymo_describe_param_next(link);
    if (step == KYMO_STEP_FURTHER) {
        link->answered = true;
        kymo_packet_begin(link, KYMO_PACKET_PARAM, kymo_describe_param);
    }
    return step != KYMO_STEP_DONE;
}
#else
static bool receive(struct kymo_link *link) { return (void)link, false; }
static bool begin_reply(struct kymo_link *link, uint32_t now) {
    return (void)link, (void)now, false;
}
static bool reply_due(const struct kymo_link *link) { return (void)link, false; }
static bool is_greeted(const struct kymo_link *link) { return (void)link, false; }
static bool guard_due(const struct kymo_link *link) { return (void)link, false; }
#endif

/* ---- which packet comes next ---- */

static bool begin_session(struct kymo_link *link) {
    if (!link->session_due) {
        return false;
    }
    link->session_due = false;
    link->answered = true;
#if KYMO_COMMANDS
    link->guard.due = link->transport->network && link->transport->read != NULL;
#endif
    kymo_packet_begin(link, KYMO_PACKET_SESSION, kymo_describe_session);
    return true;
}

#if KYMO_NAMES
static void begin_image_sites(struct kymo_link *link) {
    kymo_describe_site(&link->packet.of.sites, link->next_site);
    kymo_packet_begin(link, KYMO_PACKET_SITES, kymo_describe_sites);
}
#else
static void begin_image_sites(struct kymo_link *link) { (void)link; }
#endif

/* Those of the image, then those that were made at run time. */
static bool begin_sites(struct kymo_link *link) {
    if (!kymo_sites_left(link)) {
        if (kymo_sites_begin_dynamic(link)) {
            return true;
        }
        link->introduced = true;
        if (KYMO_SITES_SENT && link->names_again) {
            kymo_sites_again(link);
        }
        link->names_again = false;
    }
    if (!kymo_sites_left(link)) {
        return kymo_sites_begin_dynamic(link);
    }
    begin_image_sites(link);
    return true;
}

static bool begin_names(struct kymo_link *link) {
    if (link->events_turn || !begin_sites(link)) {
        return false;
    }
    link->events_turn = true;
    return true;
}

static void begin_any_status(struct kymo_link *link, uint32_t flags) {
    link->packet.flags = (uint8_t)flags;
    kymo_packet_begin(link, KYMO_PACKET_STATUS, kymo_describe_status);
}

static bool answer_due(const struct kymo_link *link) {
    return link->session_due || link->status_due || kymo_info_due(link) || reply_due(link);
}

bool kymo_packets_due(struct kymo_link *link, uint32_t now) {
    return link->text_waits || answer_due(link) || kymo_sites_left(link) || kymo_large_waits() ||
           now - link->status_at >= kymo_link_ticks(KYMO_STATUS_MS);
}

/* What may be asked for at any time without a look at it in is_quiet(). */
#define ASKED_UNSEEN                                                                               \
    (KYMO_LARGE || KYMO_DYNAMIC_SITES || KYMO_CLOCK_CHANGES || KYMO_KEEP_NEWEST || KYMO_DEVICES)

/* Quiet calls leave out kymo_keep_all_alive(), which a clock of 32 bits needs. */
#define QUIET_TICKS (KYMO_ARCH_CLOCK_BITS == 32 ? KYMO_ALIVE_LATE_TICKS : UINT32_MAX)

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

void kymo_be_quiet(struct kymo_link *link, uint32_t now, uint32_t ticks) {
    const uint32_t status = kymo_link_ticks(KYMO_STATUS_MS) - (now - link->status_at);
    link->quiet_at = now;
    link->quiet_ticks =
        ASKED_UNSEEN || link->closing ? 0u : least(least(status, ticks), QUIET_TICKS);
}

static bool rings_are_empty(void) {
    for (unsigned i = 0u; i < KYMO_LANES; i++) {
        if (!kymo_ring_is_empty(&kymo_lanes[i])) {
            return false;
        }
    }
    return true;
}

static bool is_quiet(const struct kymo_link *link) {
    return (uint32_t)kymo_arch_clock() - link->quiet_at < link->quiet_ticks && rings_are_empty();
}

/* Where no call is quiet, and none has work to look at all lanes, their rings show that the last looks left nothing. */
static bool nothing_is_left(struct kymo_link *link) {
    if (!ASKED_UNSEEN || !link->events_out) {
        return false;
    }
    link->out.work -= KYMO_COPIES ? EMPTY_WORK * KYMO_LANES : 0;
    return rings_are_empty();
}

/* Status in regular intervals; with it the session and, as long as no host has ever spoken, the
 * names again from the first one on, once all have been sent. */
static bool begin_status(struct kymo_link *link, uint32_t now) {
    const bool is_regular = now - link->status_at >= kymo_link_ticks(KYMO_STATUS_MS);
    if (!link->status_due && !is_regular) {
        return false;
    }
    link->status_at = now;
    link->status_due = false;
    link->answered = true;
    link->session_due = true;
    const bool again = is_regular && !is_greeted(link) && !kymo_sites_left(link);
    link->names_again = link->names_again || again;
    if (again) {
        kymo_tasks_again();
    }
    kymo_info_look(link, again);
    begin_any_status(link, link->lanes_hold ? KYMO_STATUS_WAITING : 0u);
    return true;
}

/* What commands may ask for takes turns with events. */
static bool begin_answer(struct kymo_link *link, uint32_t now) {
    return begin_session(link) || kymo_info_begin(link) || begin_reply(link, now) ||
           begin_status(link, now);
}

/* The next lane that is ready; FURTHER also: there is no work left to look at all of them. */
static enum kymo_step begin_events(struct kymo_link *link, uint32_t now) {
    while (link->lanes_seen < KYMO_LANES) {
        if (link->out.work < BEGIN_WORK) {
            if (!nothing_is_left(link)) {
                return KYMO_STEP_FURTHER;
            }
            break;
        }
        unsigned lane = link->next_lane;
        link->next_lane = (uint8_t)(lane + 1u < KYMO_LANES ? lane + 1u : 0u);
        link->lanes_seen++;
        const enum kymo_step step = kymo_events_begin(link, lane, now);
        if (step == KYMO_STEP_WAIT) {
            link->next_lane = (uint8_t)lane;
            link->lanes_seen--;
            return KYMO_STEP_FURTHER;
        }
        if (step == KYMO_STEP_FURTHER) {
            link->answered = false;
            link->events_turn = false;
            link->events_out = false;
            kymo_large_pass_events(link);
            kymo_devices_pass_events(link);
            return KYMO_STEP_FURTHER;
        }
    }
    link->lanes_seen = 0u;
    link->events_turn = false;
    link->events_out = true;
    return KYMO_STEP_DONE;
}

/* When no lane is ready, all are empty or held up: at the end, and in a run before the last reset, each that is not is
 * ready. Called through the link alone, so that firmware without an end does not have it. */
static bool begin_final(struct kymo_link *link) {
    if (!kymo_ring_is_current() || kymo_events_held_up(link)) {
        return false;
    }
    if (kymo_info_begin_last(link)) {
        return true;
    }
    begin_any_status(link, KYMO_STATUS_FINAL);
    link->finals_left--;
    return true;
}

#if KYMO_KEEP_NEWEST
/* A run before the last reset is over when all of it was sent, and its names, which belong to its session. Its status
 * goes first. */
static bool begin_next_run(struct kymo_link *link) {
    if (kymo_ring_is_current()) {
        return false;
    }
    link->run_is_over = true;
    begin_any_status(link, 0u);
    return true;
}

static bool go_to_next_run(struct kymo_link *link) {
    if (link->run_is_over) {
        link->run_is_over = false;
        kymo_ring_next_run();
        link->session = kymo_ring_session();
        link->session_due = true;
        link->answered = false; /* it goes before the events */
        kymo_sites_again(link);
        link->introduced = false;
    }
    return false;
}
#else
static bool begin_next_run(struct kymo_link *link) { return (void)link, false; }
static bool go_to_next_run(struct kymo_link *link) { return (void)link, false; }
#endif

static __attribute__((noinline)) enum kymo_step begin_packet(struct kymo_link *link) {
    const uint32_t now = (uint32_t)kymo_arch_clock();
    if (link->text_waits || kymo_out_room(&link->out) < KYMO_OUT_BEGIN_ROOM) {
        return KYMO_STEP_WAIT;
    }
    link->out.work -= KYMO_WORK_CHOICE;
    /* True: a packet began, or the search for one goes on. Status before events: on a busy line
     * there always are some; but a host may ask for a status, too, again and again. */
    if (link->lanes_seen == 0u &&
        (go_to_next_run(link) || (!link->answered && begin_answer(link, now)) ||
         begin_names(link) || kymo_clock_refused(link) || kymo_large_begin(link, true) ||
         kymo_devices_begin(link, true) == KYMO_STEP_FURTHER)) {
        return KYMO_STEP_FURTHER;
    }
    if (begin_events(link, now) == KYMO_STEP_FURTHER || kymo_clock_again(link) ||
        begin_sites(link) || kymo_large_begin(link, false) || begin_next_run(link)) {
        return KYMO_STEP_FURTHER;
    }
    const enum kymo_step step = kymo_devices_begin(link, false);
    if (step != KYMO_STEP_DONE) {
        return step;
    }
    const bool answered = link->answered;
    const bool more = answered && answer_due(link);
    link->answered = false;
    if (more || (link->finals_left != 0u && link->begin_final(link))) {
        return KYMO_STEP_FURTHER;
    }
    if (!answered && !guard_due(link)) {
        kymo_be_quiet(link, now, kymo_link_ticks(KYMO_STATUS_MS));
    }
    return KYMO_STEP_WAIT;
}

/* ---- building it ---- */

/* Where no packet is longer than KYMO_PACKET_BYTES, none has a part that passes its end. */
static uint32_t part_room(const struct kymo_outgoing *out) {
    const uint32_t space = kymo_out_space(out);
    return (KYMO_PACKETS_ARE_LONG || space > KYMO_PART_BYTES ? KYMO_PART_BYTES : space) + 2u;
}

/* The next part, or bytes of the text behind it. A packet may be longer than KYMO_PACKET_BYTES: it leaves while it is
 * built. What exceeds the longest packet of the wire is left out. */
static __attribute__((noinline)) enum kymo_step put_part(struct kymo_link *link) {
    struct kymo_packet *packet = &link->packet;
    const uint32_t space = KYMO_WIRE_PACKET_BYTES - KYMO_CRC_BYTES - link->out.length;
    uint8_t part[KYMO_PART_BYTES];
    const uint8_t *bytes = packet->text;
    uint32_t count = packet->text_left;
    if (link->out.work < DESCRIBED_WORK || kymo_out_room(&link->out) < part_room(&link->out)) {
        return KYMO_STEP_WAIT;
    }
    link->out.work -= DESCRIBE_WORK;
    if (count != 0u) {
        count = count < KYMO_PART_BYTES ? count : KYMO_PART_BYTES;
        packet->text += count;
        packet->text_left = (uint16_t)(packet->text_left - count);
    } else {
        const uint8_t *const behind = packet->describe(link, part, packet->next++);
        if (behind == NULL) {
            packet->next--;
            return KYMO_STEP_DONE;
        }
        bytes = part;
        count = (uint32_t)(behind - part);
    }
    count = count < space ? count : space;
    if (count != 0u) {
        kymo_out_add(&link->out, bytes, count);
    }
    return KYMO_STEP_FURTHER;
}

/* What the firmware wants to be sent, and not only the host. */
static bool is_owed_packet(const struct kymo_link *link) {
    return link->packet.type == KYMO_PACKET_EVENTS || link->packet.type == KYMO_PACKET_TEXT ||
           link->packet.type == KYMO_PACKET_LARGE ||
           (KYMO_DEVICES && link->packet.type == KYMO_PACKET_DEVICE);
}

static __attribute__((noinline)) enum kymo_step end_packet(struct kymo_link *link) {
    const bool events = link->packet.type == KYMO_PACKET_EVENTS;
    const bool is_owed = is_owed_packet(link);
    if (kymo_out_room(&link->out) < KYMO_OUT_END_ROOM + (events ? KYMO_COUNT_BYTES + 1u : 0u)) {
        return KYMO_STEP_WAIT;
    }
    if (events) {
        kymo_events_end(link);
    }
    link->out.work -= END_MORE_WORK;
    kymo_out_end(&link->out);
    kymo_large_end(link);
    kymo_devices_end(link);
    link->packet.type = 0u;
    link->owed = is_owed ? link->out.ready : link->owed;
    return KYMO_STEP_FURTHER;
}

static enum kymo_step next_step(struct kymo_link *link) {
    if (link->packet.type == 0u) {
        return begin_packet(link);
    }
    const enum kymo_step step =
        link->packet.describe == NULL ? kymo_events_step(link) : put_part(link);
    if (step != KYMO_STEP_DONE) {
        return step;
    }
    return link->out.work >= END_WORK ? end_packet(link) : KYMO_STEP_FURTHER;
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
#if KYMO_LANE_CHECK && !KYMO_CORES_IN_ORDER
    if (kymo_arch_lane() != 0u) {
        kymo_usage_error(KYMO_USAGE_DRAIN_CORE);
    }
#endif
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
static size_t paced(struct kymo_link *link, size_t budget) {
    if (link->transport->again == NULL || link->out.ready >= PACED_READY_BYTES ||
        budget <= PACED_BYTES) {
        return budget;
    }
    link->out.work -= KYMO_WORK_LANE * KYMO_LANES;
    return rings_are_empty() ? budget : PACED_BYTES;
}

static size_t give_out(struct kymo_link *link, size_t budget) {
    link->out.work -= KYMO_WORK_GIVE;
    size_t sent = kymo_out_send(&link->out, link->transport, paced(link, budget));
    link->owed = (uint16_t)(sent < link->owed ? link->owed - sent : 0u);
    link->closing = link->closing && (link->finals_left != 0u || !is_empty(link));
    return sent;
}

/* ---- what the firmware calls ---- */

/* There is nothing to send, and nothing comes. Closing, no call is quiet. */
static bool is_idle(struct kymo_link *link) {
    return link->out.ready == 0u && !link->finish_asked && link->quiet_ticks != 0u &&
           is_quiet(link) &&
           (link->transport->read == NULL || (!receive(link) && link->quiet_ticks != 0u));
}

/* Apart, as a call with nothing to do needs few registers. */
static __attribute__((noinline)) bool drain(struct kymo_link *link, size_t budget_bytes) {
    const size_t budget = budget_bytes == 0u ? SIZE_MAX : budget_bytes;
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
static __attribute__((noinline)) bool end_call(struct kymo_link *link, size_t budget, bool moved) {
    while (link->turned_away && enter(link)) {
        begin_call(link);
        moved = drain(link, budget);
        leave(link);
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
    const bool moved = !is_idle(link) && drain(link, budget_bytes);
    leave(link);
    return (moved || link->turned_away) && end_call(link, budget_bytes, moved);
}

/* Who interrupts a call has no part in it. */
bool kymo_pending(void) {
    struct kymo_link *link = &kymo_link;
    if (link->transport == NULL) {
        return false;
    }
    if (!enter(link)) {
        return true;
    }
    const bool pending = link->owed != 0u || is_owed_packet(link) || !kymo_sites_introduced(link) ||
                         link->finish_asked || link->closing || kymo_events_waiting() ||
                         kymo_large_waits() || kymo_devices_wait(link) || !kymo_ring_is_current();
    leave(link);
    (void)end_call(link, 0u, false);
    return pending;
}

void kymo_finish(void) {
    kymo_link.begin_final = begin_final;
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
    (void)end_call(link, 0u, false);
    return fits;
}

#endif
