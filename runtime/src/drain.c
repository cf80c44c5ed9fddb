/* The way out: one frame at a time, in pieces as the transport takes them. */
#include "lane.h"
#include "link.h"
#include "ring.h"

#if KYMO_ENABLE

#define COMMAND_BYTES_PER_CALL 64u
/* The final status may be damaged on the way like any other frame. */
#define FINAL_FRAMES 3u
/* Least time between two frames that tell of refused commands. */
#define GUARD_MS 100u

#if KYMO_COMMANDS
static void receive(struct kymo_link *link) {
    uint8_t bytes[16];
    if (link->transport->read == NULL) {
        return;
    }
    for (uint32_t total = 0u; total < COMMAND_BYTES_PER_CALL;) {
        size_t count = link->transport->read(link->transport->context, bytes, sizeof bytes);
        if (count == 0u || count > sizeof bytes) {
            return;
        }
        for (size_t i = 0u; i < count; i++) {
            uint32_t length = kymo_frame_receive(&link->in, bytes[i]);
            if (length != 0u) {
                kymo_command_take(link, link->in.bytes, length);
            }
        }
        total += (uint32_t)count;
    }
}

/* With each session, and when something was refused: but not as often as that, or a host that
 * floods the board with commands would leave no room for events. */
static bool build_guard(struct kymo_link *link) {
    uint32_t now = (uint32_t)kymo_arch_clock();
    bool soon = link->guard.news && now - link->guard.at >= kymo_link_ticks(GUARD_MS);
    if (!soon && !link->guard.due) {
        return false;
    }
    link->guard.at = now;
    kymo_describe_guard(link);
    return true;
}

/* Answers to commands; and the values of all parameters, once their names are out. */
static bool build_answer(struct kymo_link *link) {
    if (link->pong_due) {
        kymo_describe_pong(link);
        return true;
    }
    return build_guard(link) || (link->next_site >= kymo_site_count() && kymo_describe_param(link));
}

static bool answer_due(const struct kymo_link *link) {
    return link->pong_due || link->next_param < kymo_site_count();
}
#else
static void receive(struct kymo_link *link) { (void)link; }
static bool build_answer(struct kymo_link *link) { return link == NULL; }
static bool answer_due(const struct kymo_link *link) { return link == NULL; }
#endif

static bool build_names(struct kymo_link *link) {
    link->names_turn = !link->names_turn;
    return link->names_turn && kymo_describe_sites(link);
}

/* Status in regular intervals; with it the session and, as long as no host has ever spoken, the
 * names again from the first one on, once all have been sent. */
static bool build_status(struct kymo_link *link, uint32_t now) {
    if (!link->status_due && now - link->status_at < kymo_link_ticks(KYMO_STATUS_MS)) {
        return false;
    }
    link->status_at = now;
    link->status_due = false;
    link->session_due = true;
    if (!link->greeted && link->next_site >= kymo_site_count()) {
        link->next_site = 0u;
    }
    kymo_describe_status(link, 0u);
    return true;
}

static bool build_final(struct kymo_link *link) {
    if (!link->finishing || kymo_events_waiting() || !kymo_ring_is_current() ||
        kymo_events_held_up(link)) {
        return false;
    }
    kymo_describe_status(link, KYMO_STATUS_FINAL);
    link->finals_left--;
    link->finishing = link->finals_left != 0u;
    return true;
}

#if KYMO_KEEP_NEWEST
/* A run before the last reset is over when all of it was sent, and its names, which belong to its session. */
static bool build_next_run(struct kymo_link *link) {
    if (kymo_ring_is_current() || kymo_events_waiting()) {
        return false;
    }
    kymo_describe_status(link, 0u);
    kymo_ring_next_run();
    link->session = kymo_ring_session();
    link->session_due = true;
    link->next_site = 0u;
    return true;
}
#else
static bool build_next_run(struct kymo_link *link) { return link == NULL; }
#endif

static bool build_frame(struct kymo_link *link) {
    uint32_t now = (uint32_t)kymo_arch_clock();
    if (link->session_due) {
        kymo_describe_session(link);
        return true;
    }
    /* Status before events: on a busy line there always are some. */
    return build_answer(link) || build_status(link, now) || build_names(link) ||
           kymo_events_build(link, now) || kymo_describe_sites(link) || build_next_run(link) ||
           build_final(link);
}

size_t kymo_drain(size_t budget_bytes) {
    struct kymo_link *link = &kymo_link;
    size_t budget = budget_bytes == 0u ? SIZE_MAX : budget_bytes;
    kymo_keep_all_alive();
    if (link->transport == NULL) {
        return 0u;
    }
    receive(link);
    size_t sent = kymo_frame_send(&link->out, link->transport, budget);
    if (link->out.end == 0u && sent < budget && build_frame(link)) {
        sent += kymo_frame_send(&link->out, link->transport, budget - sent);
    }
    return sent;
}

bool kymo_pending(void) {
    const struct kymo_link *link = &kymo_link;
    return link->transport != NULL &&
           (link->out.end != 0u || link->finishing || link->session_due || answer_due(link) ||
            link->next_site < kymo_site_count() || kymo_events_waiting() ||
            !kymo_ring_is_current());
}

void kymo_finish(void) {
    kymo_link.finishing = true;
    kymo_link.finals_left = FINAL_FRAMES;
}

bool kymo_print(const char *text, size_t length) {
    struct kymo_link *link = &kymo_link;
    if (link->transport == NULL || link->out.end != 0u) {
        return false;
    }
    kymo_frame_new(&link->out, KYMO_FRAME_TEXT);
    uint32_t space = kymo_frame_space(&link->out);
    kymo_frame_bytes(&link->out, text, length < space ? (uint32_t)length : space);
    kymo_frame_ready(&link->out);
    return true;
}

#endif
