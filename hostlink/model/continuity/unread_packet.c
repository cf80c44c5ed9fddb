/* SPDX-License-Identifier: MIT */
#include "model/continuity/unread_packet.h"

#include <stdlib.h>
#include <string.h>

static void count(const struct wire_head *head, struct reader *events,
                  const struct unread_lane *lane) {
    struct wire_decoder decoder;
    struct wire_event event;
    decode_begin(&decoder, events, head);
    while (decode_next(&decoder, &event)) {
        *lane->next += wire_event_numbers(&event);
        event_numbers_reached(lane->numbers, event.ticks);
    }
}

static bool reserve(struct unread_packet *unread, size_t length) {
    if (length > unread->capacity) {
        uint8_t *bytes = realloc(unread->bytes, length);
        if (bytes == NULL) {
            return false;
        }
        unread->bytes = bytes;
        unread->capacity = length;
    }
    return true;
}

void unread_packet_keep(struct unread_packet *unread, const struct wire_head *head,
                        struct reader *events, const struct unread_lane *lane) {
    const size_t length = events->length - events->at;
    unread->waits = length != 0 && reserve(unread, length);
    if (!unread->waits) {
        count(head, events, lane);
        return;
    }
    memcpy(unread->bytes, events->bytes + events->at, length);
    unread->head = *head;
    unread->length = length;
}

void unread_packet_settle(struct unread_packet *unread, uint64_t events, uint64_t ticks,
                          const struct unread_lane *lane) {
    if (!unread->waits) {
        return;
    }
    unread->waits = false;
    if (events == unread->head.first + unread->head.count && ticks >= unread->head.ticks) {
        *lane->next = events;
        return;
    }
    struct reader reader = {.bytes = unread->bytes, .length = unread->length};
    count(&unread->head, &reader, lane);
}

void unread_packet_free(struct unread_packet *unread) {
    free(unread->bytes);
    *unread = (struct unread_packet){0};
}
