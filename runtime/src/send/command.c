/* SPDX-License-Identifier: MIT */
/* Commands of the host. Nothing here reads or writes memory that the host names: a parameter is
 * found by its site's index and clamped to the bounds that the firmware gave it. */
#include "../record/task_events.h"
#include "../ring/lane.h"
#include "kymo/tracy.h"
#include "link.h"
#include "params.h"

#if KYMO_ENABLE && KYMO_COMMANDS

#define HEAD_BYTES 2u
/* Work: of a byte that is received; of a command that is obeyed. */
#define RECEIVE_WORK 75
#define COMMAND_WORK 150
/* The work for which more bytes are read. */
#define RECEIVE_MORE_WORK (RECEIVE_WORK * (int32_t)KYMO_RECEIVE_BYTES + COMMAND_WORK)

static uint32_t u32_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

#if KYMO_TRACY
void (*kymo_tracy_on_param)(struct kymo_param *param);

__attribute__((weak)) void kymo_param_changed(struct kymo_param *param) {
    void (*const call)(struct kymo_param *) = KYMO_ACQUIRE(kymo_tracy_on_param);
    if (call != NULL) {
        call(param);
    }
}
#else
__attribute__((weak)) void kymo_param_changed(struct kymo_param *param) { (void)param; }
#endif

/* SET_PARAM: site index, value. */
static void set_param(struct kymo_link *link, uint32_t site, int32_t value) {
    const uint32_t index = kymo_param_find(site);
    struct kymo_param *param = index < kymo_param_count() ? kymo_param_at(index) : NULL;
    if (param == NULL) {
        return;
    }
    value = value < param->minimum ? param->minimum : value;
    value = value > param->maximum ? param->maximum : value;
    KYMO_STORE(param->value, value);
    link->next_param = link->next_param < index ? link->next_param : index;
    kymo_param_changed(param);
}

/* PING: a cookie of 8 bytes. */
static void answer_ping(struct kymo_link *link, uint32_t low, uint32_t high) {
    const uint64_t now = kymo_arch_clock64();
    link->pong_cookie = (uint64_t)high << 32 | low;
    link->pong_ticks = now - ((uint32_t)now - link->heard_at);
    link->pong_due = true;
}

/* Names that are being sent are completed first, or a host that asks without end would see only the first ones.
 * Over a network they are still repeated, for hosts that have no key to ask with. */
static void tell_names(struct kymo_link *link) {
    const bool begun =
        KYMO_NAMES == 0 || link->next_site != 0u || link->packet.type == KYMO_PACKET_SITES;
    link->names_again = link->names_again || begun;
    link->next_param = 0u;
    kymo_tasks_again();
    link->greeted = !link->transport->network;
}

static void greet(struct kymo_link *link) {
    if (KYMO_ON_DEMAND && !link->greeted) {
        kymo_start();
    }
    link->session_due = true;
    link->status_due = true;
    link->info_due = true;
    tell_names(link);
}

static void obey(struct kymo_link *link, const uint8_t *bytes, uint32_t length) {
    if (length < HEAD_BYTES || bytes[0] >> KYMO_WIRE_VERSION_SHIFT != KYMO_WIRE_VERSION) {
        return;
    }
    /* Two words, of the commands that have some. */
    const bool has_words = length >= HEAD_BYTES + 8u;
    const uint32_t first = has_words ? u32_at(bytes + HEAD_BYTES) : 0u;
    const uint32_t second = has_words ? u32_at(bytes + HEAD_BYTES + 4u) : 0u;
    switch (bytes[0] & KYMO_WIRE_TYPE_MASK) {
    case KYMO_PACKET_HELLO:
        greet(link);
        break;
    case KYMO_PACKET_GET_NAMES:
        tell_names(link);
        break;
    case KYMO_PACKET_START:
        kymo_start();
        link->status_due = true;
        break;
    case KYMO_PACKET_STOP:
        kymo_stop();
        link->status_due = true;
        break;
    case KYMO_PACKET_SET_PARAM:
        if (has_words) {
            set_param(link, first, (int32_t)second);
        }
        break;
    case KYMO_PACKET_PING:
        if (has_words) {
            answer_ping(link, first, second);
        }
        break;
    default: /* a newer host's command */
        break;
    }
}

void kymo_command_take(struct kymo_link *link, const uint8_t *bytes, uint32_t length) {
    struct kymo_command command = {.bytes = bytes, .length = length};
    if (!link->transport->network || kymo_guard_admits(&link->guard, &command)) {
        obey(link, command.bytes, command.length);
    }
}

/* ---- from the transport ---- */

/* A host that keeps asking does not delay the end. */
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
    if (byte != 0u && !link->in.begun) { /* its other bytes take their time on a slow line */
        link->heard_at = (uint32_t)kymo_arch_clock();
    }
    const uint32_t length = kymo_packet_receive(&link->in, byte);
    link->out.work -= RECEIVE_WORK;
    if (length != 0u && may_obey(link)) {
        link->out.work -= COMMAND_WORK;
        kymo_command_take(link, link->in.bytes, length);
    }
}

bool kymo_command_bytes(struct kymo_link *link, uint8_t *bytes, size_t count) {
    link->quiet_ticks = 0u;
    for (;;) {
        for (size_t i = 0u; i < count && i < KYMO_RECEIVE_BYTES; i++) {
            take_byte(link, bytes[i]);
        }
        if (count < KYMO_RECEIVE_BYTES || link->out.work < RECEIVE_MORE_WORK) {
            break;
        }
        count = link->transport->read(link->transport->context, bytes, KYMO_RECEIVE_BYTES);
    }
    link->received = link->out.work < KYMO_WORK_LEAST;
    return count >= KYMO_RECEIVE_BYTES;
}

#endif
