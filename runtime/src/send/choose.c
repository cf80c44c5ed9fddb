/* SPDX-License-Identifier: MIT */
/* Chooses the next packet, and puts its parts and its end: runs once for many events, apart from the code that runs for
 * each of them. */
#include "../record/task_events.h"
#include "../ring/lane.h"
#include "../ring/ring.h"
#include "link.h"

#if KYMO_ENABLE

/* Least time between two packets that report refused commands. */
#define GUARD_MS 100u
/* Period of the session and status packets. */
#define STATUS_MS 1000u

/* Work: of a look whether a ring that keeps the newest is empty. */
#define EMPTY_WORK 30
/* Work: to look at a lane and begin its packet; of the beginning alone, excluding its bytes. */
#define BEGIN_WORK (620 + KYMO_WORK_RECALL)
#define BEGIN_MORE_WORK 90
/* Work to end a packet, excluding its bytes. */
#define END_MORE_WORK (180 + (KYMO_COPIES ? 200 : 0))
/* Work to put together a part of a packet; the second one includes the part's bytes. */
#define DESCRIBE_WORK (200 + (KYMO_DYNAMIC_SITES ? 100 : 0))
#define DESCRIBED_WORK (DESCRIBE_WORK + KYMO_WORK_BYTES + KYMO_WORK_BYTE * (int32_t)KYMO_PART_BYTES)

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

/* ---- answers to commands ---- */

#if KYMO_COMMANDS
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
        link->packet.of.pong.answered = kymo_arch_clock64(); /* before its first byte leaves */
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

/* Sites of the image come first, then those made at run time. */
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
           now - link->status_at >= kymo_link_ticks(STATUS_MS);
}

/* Features whose packets may become due at any time, which is_quiet() does not check. */
#define ASKED_UNSEEN                                                                               \
    (KYMO_LARGE || KYMO_DYNAMIC_SITES || KYMO_CLOCK_CHANGES || KYMO_KEEP_NEWEST || KYMO_DEVICES)

/* Quiet calls leave out kymo_keep_all_alive(), which a clock of 32 bits needs. */
#define QUIET_TICKS (KYMO_ARCH_CLOCK_BITS == 32 ? KYMO_ALIVE_LATE_TICKS : UINT32_MAX)

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

void kymo_be_quiet(struct kymo_link *link, uint32_t now, uint32_t ticks) {
    const uint32_t status = kymo_link_ticks(STATUS_MS) - (now - link->status_at);
    link->quiet_at = now;
    link->quiet_ticks =
        ASKED_UNSEEN || link->closing ? 0u : least(least(status, ticks), QUIET_TICKS);
}

/* Where no call is quiet, and none has work to look at all lanes, their rings show that the last looks left nothing. */
static bool nothing_is_left(struct kymo_link *link) {
    if (!ASKED_UNSEEN || !link->events_out) {
        return false;
    }
    link->out.work -= KYMO_COPIES ? EMPTY_WORK * KYMO_LANES : 0;
    return kymo_rings_are_empty();
}

/* Status in regular intervals; with it the session and, as long as no host has ever spoken, the
 * names again from the first one on, once all have been sent. */
static bool begin_status(struct kymo_link *link, uint32_t now) {
    const bool is_regular = now - link->status_at >= kymo_link_ticks(STATUS_MS);
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

/* Answers to commands take turns with events. */
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
bool kymo_final_begin(struct kymo_link *link) {
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

enum kymo_step kymo_packet_choose(struct kymo_link *link) {
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
        kymo_be_quiet(link, now, kymo_link_ticks(STATUS_MS));
    }
    return KYMO_STEP_WAIT;
}

/* ---- building it ---- */

/* Where no packet is longer than KYMO_PACKET_BYTES, none has a part that passes its end. */
static uint32_t part_room(const struct kymo_outgoing *out) {
    const uint32_t space = kymo_out_space(out);
    return (KYMO_PACKETS_ARE_LONG || space > KYMO_PART_BYTES ? KYMO_PART_BYTES : space) + 2u;
}

/* Puts the next part, or bytes of the text after it. A packet may be longer than KYMO_PACKET_BYTES: it leaves while it
 * is built. Bytes beyond the longest packet of the wire are left out. */
enum kymo_step kymo_packet_put(struct kymo_link *link) {
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

bool kymo_packet_is_owed(const struct kymo_link *link) {
    return link->packet.type == KYMO_PACKET_EVENTS || link->packet.type == KYMO_PACKET_TEXT ||
           link->packet.type == KYMO_PACKET_LARGE ||
           (KYMO_DEVICES && link->packet.type == KYMO_PACKET_DEVICE);
}

enum kymo_step kymo_packet_end(struct kymo_link *link) {
    const bool events = link->packet.type == KYMO_PACKET_EVENTS;
    const bool is_owed = kymo_packet_is_owed(link);
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

#endif
