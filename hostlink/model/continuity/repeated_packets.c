/* SPDX-License-Identifier: MIT */
#include "model/continuity/repeated_packets.h"

#include <stdlib.h>
#include <string.h>

static bool is_known(const struct repeated_packets *repeat, uint32_t print) {
    uint64_t number = repeat->latest[print % REPEAT_KNOWN];
    /* An entry that has left the ring, or is of the session before, ends the search. */
    while (number != 0 && number <= repeat->count && number + REPEAT_KNOWN > repeat->count) {
        const struct repeat_known *known = &repeat->known[number % REPEAT_KNOWN];
        if (known->print == print) {
            return true;
        }
        number = known->before;
    }
    return false;
}

static void remember(struct repeated_packets *repeat, uint32_t print) {
    uint64_t *latest = &repeat->latest[print % REPEAT_KNOWN];
    const uint64_t before = *latest <= repeat->count ? *latest : 0;
    *latest = ++repeat->count;
    repeat->known[*latest % REPEAT_KNOWN] = (struct repeat_known){print, before};
}

static bool is_held(const struct repeated_packets *repeat, uint32_t print) {
    const struct repeat_packet *packet = repeat->first;
    while (packet != NULL && packet->print != print) {
        packet = packet->next;
    }
    return packet != NULL;
}

/* False: there is no room for more. */
static bool hold(struct repeated_packets *repeat, const struct wire_packet *packet,
                 uint32_t print) {
    const size_t bytes = repeat->bytes + packet->length;
    struct repeat_packet *held =
        bytes > REPEAT_BYTES_MAX ? NULL : malloc(sizeof *held + packet->length);
    if (held == NULL) {
        return false;
    }
    held->next = NULL;
    held->print = print;
    held->length = packet->length;
    memcpy(held->bytes, packet->bytes, packet->length);
    *(repeat->first == NULL ? &repeat->first : &repeat->end->next) = held;
    repeat->end = held;
    repeat->bytes = bytes;
    return true;
}

static enum repeat_verdict copy(struct repeated_packets *repeat) {
    repeat->copies++;
    return REPEAT_DROP;
}

/* The first packet of the lane in doubt, or one that begins before the lane's last event. */
static enum repeat_verdict old_events(struct repeated_packets *repeat,
                                      const struct wire_packet *packet,
                                      const struct wire_head *head, enum packet_order order,
                                      uint32_t print) {
    bool known = is_known(repeat, print), first = order == PACKET_FIRST;
    if (print == repeat->last || is_held(repeat, print)) {
        return copy(repeat);
    }
    if (order == PACKET_ANEW || (repeat->clock_back && !known && !first)) {
        return REPEAT_ANEW;
    }
    repeat->from_start = repeat->from_start || (head->first == 0 && !first);
    if (known && !repeat->clock_back) {
        return copy(repeat);
    }
    bool full = repeat->events == REPEAT_EVENTS_MAX || !hold(repeat, packet, print);
    repeat->events += full ? 0 : 1;
    return full ? REPEAT_ANEW : REPEAT_DROP;
}

/* The board goes on where it was, unless a new start has come as far as the old one. */
static enum repeat_verdict goes_on(struct repeated_packets *repeat) {
    bool doubt = repeat->first != NULL;
    return repeat_is_anew(repeat) ? REPEAT_ANEW : doubt ? REPEAT_COPIES : REPEAT_TAKE;
}

/* 0 means no fingerprint. */
static uint32_t print_of(uint32_t crc) { return crc != 0 ? crc : 1; }

bool repeat_knows(const struct repeated_packets *repeat, uint32_t crc) {
    return is_known(repeat, print_of(crc));
}

enum repeat_verdict repeat_events(struct repeated_packets *repeat, const struct wire_packet *packet,
                                  const struct wire_head *head, enum packet_order order) {
    const uint32_t print = print_of(packet->crc);
    bool follows = order == PACKET_FOLLOWS || (order == PACKET_FIRST && !repeat->clock_back);
    enum repeat_verdict verdict =
        follows ? goes_on(repeat) : old_events(repeat, packet, head, order, print);
    if (verdict != REPEAT_DROP) {
        repeat->clock = head->ticks > repeat->clock ? head->ticks : repeat->clock;
        remember(repeat, print);
    }
    repeat->last = print;
    return verdict;
}

enum repeat_verdict repeat_clock(struct repeated_packets *repeat, const struct wire_packet *packet,
                                 uint64_t ticks, bool session) {
    const uint32_t print = print_of(packet->crc);
    if (print == repeat->last) {
        return REPEAT_DROP;
    }
    repeat->last = print;
    if (ticks >= repeat->clock) {
        repeat->clock = ticks;
        return goes_on(repeat);
    }
    repeat->clock_back = repeat->clock_back || session;
    return repeat_sites(repeat, packet);
}

enum repeat_verdict repeat_sites(struct repeated_packets *repeat,
                                 const struct wire_packet *packet) {
    repeat->last = print_of(packet->crc);
    if (!repeat->clock_back) {
        return REPEAT_TAKE;
    }
    return hold(repeat, packet, repeat->last) ? REPEAT_DROP : REPEAT_ANEW;
}

bool repeat_is_anew(const struct repeated_packets *repeat) {
    return repeat->events != 0 && repeat->clock_back && repeat->from_start;
}

struct repeat_packet *repeat_release(struct repeated_packets *repeat) {
    struct repeat_packet *first = repeat->first;
    repeat->first = repeat->end = NULL;
    repeat->events = 0;
    repeat->bytes = 0;
    repeat->clock_back = repeat->from_start = false;
    return first;
}

bool repeat_head(const struct repeat_packet *packet, struct wire_head *head) {
    struct reader r = packet_fields(packet->bytes, packet->length);
    return packet_type(packet->bytes) == KYMO_PACKET_EVENTS && decode_head(&r, head);
}

void repeat_restart(struct repeated_packets *repeat) {
    repeat->count = repeat->clock = 0;
    repeat->last = 0;
}

void repeat_free(struct repeated_packets *repeat) {
    struct repeat_packet *packet = repeat_release(repeat);
    while (packet != NULL) {
        struct repeat_packet *next = packet->next;
        free(packet);
        packet = next;
    }
}
