/* SPDX-License-Identifier: MIT */
#include "wire/events_packet.h"

#include "kymo/wire.h"
#include "wire/compose.h"

#define SLOTS_CODE 3u
#define SLOTS KYMO_MODEL_SLOTS(SLOTS_CODE)
#define NUMBER_BYTES 5u
#define COUNT_BYTES 2u
/* At most: an event of a new slot, without its payload. */
#define EVENT_BYTES (3u + NUMBER_BYTES + NUMBER_BYTES)
/* Most bytes of a word; the high word of a frame has a code before it, too. */
#define WORD_BYTES (NUMBER_BYTES + 1u)

void events_begin(struct events_packet *packet, const struct events_head *head) {
    uint8_t *bytes = packet->bytes;
    packet->count = 0;
    model_begin(&packet->model, SLOTS, head->context);
    bytes[0] = KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_EVENTS;
    bytes[1] = head->sequence;
    bytes[2] = (uint8_t)(head->lane | SLOTS_CODE << 6);
    size_t at = put_varint(bytes, 3, head->first);
    at = put_varint(bytes, at, head->ticks);
    packet->length = put_varint(bytes, at, head->context);
    packet->ticks = head->ticks;
}

static void put_byte(struct events_packet *packet, uint32_t byte) {
    packet->bytes[packet->length++] = (uint8_t)byte;
}

/* The lowest "count" bytes of the number, highest first. */
static void put_bytes(struct events_packet *packet, uint32_t number, uint32_t count) {
    while (count != 0) {
        put_byte(packet, number >> 8 * --count);
    }
}

static void put_number(struct events_packet *packet, uint32_t number) {
    if (number < KYMO_NUMBER_LEAST_TWO) {
        put_byte(packet, number);
    } else if (number < KYMO_NUMBER_LEAST_THREE) {
        put_bytes(packet, (KYMO_NUMBER_TWO << 8) + number - KYMO_NUMBER_LEAST_TWO, 2);
    } else if (number < KYMO_NUMBER_LEAST_FIVE) {
        put_bytes(packet, (KYMO_NUMBER_THREE << 16) + number - KYMO_NUMBER_LEAST_THREE, 3);
    } else {
        put_byte(packet, KYMO_NUMBER_FIVE);
        put_bytes(packet, number, 4);
    }
}

static uint32_t put_new_slot(struct events_packet *packet, const struct model_slot *slot) {
    if (slot->kind == KYMO_KIND_ZONE_BEGIN) {
        put_byte(packet, KYMO_CODE_NEW_BEGIN);
    } else {
        put_byte(packet, KYMO_CODE_NEW);
        put_byte(packet, slot->kind);
    }
    if ((slot->kind & KYMO_KIND_HAS_REF) != 0) {
        put_number(packet, model_number_of(&packet->model, slot->kind, slot->reference));
    }
    if ((slot->kind & KYMO_KIND_HAS_WORDS) != 0) {
        put_byte(packet, slot->count);
    }
    return model_define(&packet->model, slot);
}

/* Returns m->defined if the slot is not defined yet. */
static uint32_t slot_of(const struct event_model *m, const struct model_slot *wanted) {
    uint32_t slot = 0;
    while (slot < m->defined &&
           (m->slot[slot].kind != wanted->kind || m->slot[slot].reference != wanted->reference ||
            m->slot[slot].count != wanted->count)) {
        slot++;
    }
    return slot;
}

/* Returns its number; the event's time is still to come. */
static uint32_t put_slot(struct events_packet *packet, const struct model_slot *wanted) {
    struct event_model *m = &packet->model;
    const uint32_t slot = slot_of(m, wanted);
    if (slot == m->defined) {
        return put_new_slot(packet, wanted);
    }
    if (slot != model_expected(m)) {
        put_byte(packet, KYMO_CODE_SLOT + slot);
        m->slot[slot].used = true;
    }
    return slot;
}

static void put_delta(struct events_packet *packet, uint32_t delta, struct model_pair *pair) {
    put_number(packet, pair->by_change ? model_change(delta, pair->last) : delta);
    model_time_was(pair, delta);
}

static void put_frame(struct events_packet *packet, struct model_calls *calls, uint64_t caller,
                      uint64_t address) {
    uint64_t *last = &calls->last[kymo_model_call((uint32_t)caller)];
    const uint32_t high = (uint32_t)(address >> 32);
    if (high != caller >> 32) {
        put_byte(packet, KYMO_CODE_HIGH);
        put_number(packet, model_change(high, calls->high));
        calls->high = high;
    }
    put_number(packet, model_change((uint32_t)address, (uint32_t)(*last != 0 ? *last : caller)));
    *last = address;
}

/* Number of frames according to the record, at most those it has. */
static uint32_t frames_of(const struct wire_event *event) {
    const uint32_t there = event->words != 0 ? event->words - 1 : 0;
    uint32_t frames = event->words != 0 && event->word[0] < there ? event->word[0] : there;
    return frames < KYMO_STACK_FRAMES_MAX ? frames : KYMO_STACK_FRAMES_MAX;
}

static uint64_t frame_of(const struct wire_event *event, uint32_t at) {
    const uint64_t high_at = (uint64_t)event->word[0] + at; /* damaged, it may be anything */
    const uint64_t high = high_at < event->words ? event->word[high_at] : 0;
    return event->word[at] | high << 32;
}

static void put_stack(struct events_packet *packet, const struct wire_event *event,
                      uint32_t frames) {
    struct model_calls *calls = model_calls(&packet->model);
    uint64_t caller = 0;
    uint32_t known = 0; /* as expected, and not said yet */
    for (uint32_t at = frames; at != 0; at--) {
        const uint64_t address = frame_of(event, at);
        const bool expected = calls->last[kymo_model_call((uint32_t)caller)] == address;
        known += expected;
        if (known != 0 && (!expected || at == 1)) {
            put_byte(packet, KYMO_CODE_FRAMES + known - 1);
            known = 0;
        }
        if (!expected) {
            put_frame(packet, calls, caller, address);
        }
        caller = address;
    }
}

/* The number takes no more bytes than the plain word. */
static bool is_short(uint32_t number) { return number < KYMO_NUMBER_LEAST_FIVE; }

static void put_words(struct events_packet *packet, uint32_t slot, const struct wire_event *event) {
    bool plain = false;
    for (uint32_t i = 0; i < event->words; i++) {
        uint32_t *value = model_value_of(&packet->model, slot, i);
        const uint32_t number = model_change(event->word[i], *value);
        if (!plain && !is_short(number)) {
            plain = true;
            put_byte(packet, KYMO_CODE_WORDS);
        }
        if (plain) {
            packet->length = put_little(packet->bytes, packet->length, event->word[i], 4);
        } else {
            put_number(packet, number);
        }
        *value = event->word[i];
    }
}

static bool fits(const struct events_packet *packet, const struct wire_event *event) {
    return event->ticks - packet->ticks <= UINT32_MAX && packet->count != UINT16_MAX &&
           packet->length + EVENT_BYTES + WORD_BYTES * event->words + COUNT_BYTES <=
               sizeof packet->bytes;
}

bool events_add(struct events_packet *packet, const struct wire_event *event) {
    if (!fits(packet, event)) {
        return false;
    }
    const bool is_stack = event->kind == KYMO_KIND_CALLSTACK;
    const uint32_t count = is_stack ? frames_of(event) : event->words;
    const uint32_t slot = put_slot(packet, &(struct model_slot){.kind = event->kind,
                                                                .reference = event->reference,
                                                                .count = (uint8_t)count});
    struct model_pair *pair = model_enter(&packet->model, slot);
    put_delta(packet, (uint32_t)(event->ticks - packet->ticks), pair);
    if (is_stack) {
        put_stack(packet, event, count);
    } else {
        put_words(packet, slot, event);
    }
    packet->ticks = event->ticks;
    packet->count++;
    return true;
}

void events_end(struct events_packet *packet) {
    packet->length = put_little(packet->bytes, packet->length, packet->count, COUNT_BYTES);
}
