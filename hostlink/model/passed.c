/* SPDX-License-Identifier: MIT */
#include "model/passed.h"

#include <stdlib.h>
#include <string.h>

static void count(const struct wire_head *head, struct reader *events,
                  const struct passed_lane *lane) {
    struct wire_decoder decoder;
    struct wire_event event;
    decode_begin(&decoder, events, head);
    while (decode_next(&decoder, &event)) {
        *lane->next += wire_event_numbers(&event);
        claims_reached(lane->claims, event.ticks);
    }
}

static bool reserve(struct passed *passed, size_t length) {
    if (length > passed->capacity) {
        uint8_t *bytes = realloc(passed->bytes, length);
        if (bytes == NULL) {
            return false;
        }
        passed->bytes = bytes;
        passed->capacity = length;
    }
    return true;
}

void passed_keep(struct passed *passed, const struct wire_head *head, struct reader *events,
                 const struct passed_lane *lane) {
    const size_t length = events->length - events->at;
    passed->waits = length != 0 && reserve(passed, length);
    if (!passed->waits) {
        count(head, events, lane);
        return;
    }
    memcpy(passed->bytes, events->bytes + events->at, length);
    passed->head = *head;
    passed->length = length;
}

void passed_settle(struct passed *passed, uint64_t events, uint64_t ticks,
                   const struct passed_lane *lane) {
    if (!passed->waits) {
        return;
    }
    passed->waits = false;
    if (events == passed->head.first + passed->head.count && ticks >= passed->head.ticks) {
        *lane->next = events;
        return;
    }
    struct reader reader = {.bytes = passed->bytes, .length = passed->length};
    count(&passed->head, &reader, lane);
}

void passed_free(struct passed *passed) {
    free(passed->bytes);
    *passed = (struct passed){0};
}
