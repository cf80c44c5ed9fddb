/* SPDX-License-Identifier: MIT */
#include "clock/clock_wait.h"

#include <stdlib.h>
#include <string.h>

/* Stands before each packet. */
struct head {
    size_t length;
    uint32_t crc;
};

/* The longest time to measure the rate. */
#define WAIT_NS_MAX UINT64_C(5000000000)

bool clock_wait_wants(uint8_t type) {
    return type == KYMO_PACKET_SESSION || type == KYMO_PACKET_SITES || type == KYMO_PACKET_EVENTS ||
           type == KYMO_PACKET_STATUS || type == KYMO_PACKET_PARAM;
}

static bool keep(struct clock_wait *wait, const struct wire_packet *packet) {
    const struct head head = {.length = packet->length, .crc = packet->crc};
    if (wait->used + sizeof head + packet->length > CLOCK_WAIT_BYTES_MAX) {
        return false;
    }
    if (wait->packets == NULL) {
        wait->packets = malloc(CLOCK_WAIT_BYTES_MAX);
    }
    if (wait->packets == NULL) {
        return false;
    }
    uint8_t *at = wait->packets + wait->used;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, packet->bytes, packet->length);
    wait->used += sizeof head + packet->length;
    return true;
}

/* A session of a board that knows its rate ends the waiting; so does another session. */
static enum clock_wait_verdict take_session(struct clock_wait *wait,
                                            const struct wire_packet *packet, uint64_t host_ns) {
    struct reader r = packet_fields(packet->bytes, packet->length);
    struct session_packet session;
    read_session(&r, &session);
    if (wait->has_session && session.id != wait->session) {
        return CLOCK_WAIT_END_BEHIND;
    }
    if (session.clock_hz != 0) {
        return CLOCK_WAIT_END_BEFORE_IT;
    }
    if (!wait->has_session) {
        wait->has_session = true;
        wait->session = session.id;
        wait->since_ns = host_ns;
    }
    return CLOCK_WAIT_KEPT;
}

static bool is_final(const struct wire_packet *packet) {
    struct reader r = packet_fields(packet->bytes, packet->length);
    struct status_packet status;
    read_status(&r, &status);
    return (status.flags & KYMO_STATUS_FINAL) != 0;
}

enum clock_wait_verdict clock_wait_take(struct clock_wait *wait, const struct wire_packet *packet,
                                        uint64_t host_ns) {
    const uint8_t type = packet_type(packet->bytes);
    enum clock_wait_verdict verdict = CLOCK_WAIT_KEPT;
    if (type == KYMO_PACKET_SESSION) {
        verdict = take_session(wait, packet, host_ns);
    } else if (type == KYMO_PACKET_STATUS && wait->has_session && is_final(packet)) {
        verdict = CLOCK_WAIT_END; /* nothing follows that could show more */
    }
    if (verdict == CLOCK_WAIT_END_BEHIND || verdict == CLOCK_WAIT_END_BEFORE_IT) {
        return verdict;
    }
    return keep(wait, packet) ? verdict : CLOCK_WAIT_END_BEHIND;
}

bool clock_wait_is_over(const struct clock_wait *wait, const struct clock_rate *rate,
                        uint64_t host_ns) {
    return wait->has_session &&
           (clock_rate_settled(rate) || host_ns - wait->since_ns > WAIT_NS_MAX);
}

bool clock_wait_next(const struct clock_wait *wait, size_t *at, struct wire_packet *packet) {
    struct head head;
    if (*at >= wait->used) {
        return false;
    }
    memcpy(&head, wait->packets + *at, sizeof head);
    *packet = (struct wire_packet){wait->packets + *at + sizeof head, head.length, head.crc};
    *at += sizeof head + head.length;
    return true;
}

void clock_wait_free(struct clock_wait *wait) {
    free(wait->packets);
    *wait = (struct clock_wait){0};
}
