#include "dump/stream_events.h"

#include "kymo/wire.h"
#include "wire/compose.h"

#define SLOTS 64u
#define SLOTS_CODE 3u /* of 64, in the head */
#define KIND_BITS 8u
#define WORDS_BITS 8u
#define LOG_BITS 5u
/* At most: a number is longest in KYMO_CLASS_LONG. */
#define NUMBER_BITS (KYMO_CLASS_LONG + LOG_BITS + 31u)
/* An event of a slot that was not guessed, and is new: its reference, its time, the number of its words. */
#define EVENT_BITS (2u + 2u + KIND_BITS + NUMBER_BITS + NUMBER_BITS + 1u + WORDS_BITS)
#define COUNT_BYTES 2u

void events_begin(struct events_packet *packet, const struct events_head *head) {
    uint8_t *bytes = packet->bytes;
    packet->count = 0;
    packet->pending = packet->pending_bits = 0;
    model_begin(&packet->model, SLOTS);
    bytes[0] = KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_PACKET_EVENTS;
    bytes[1] = head->sequence;
    bytes[2] = (uint8_t)(head->lane | SLOTS_CODE << 6);
    size_t at = put_varint(bytes, 3, head->first);
    at = put_varint(bytes, at, head->ticks);
    packet->length = put_varint(bytes, at, head->context);
    packet->ticks = head->ticks;
}

/* At most 57 bits, lowest first; the bits of "value" above them are 0. */
static void put_bits(struct events_packet *packet, uint64_t value, uint32_t count) {
    packet->pending |= value << packet->pending_bits;
    packet->pending_bits += count;
    while (packet->pending_bits >= 8) {
        packet->bytes[packet->length++] = (uint8_t)packet->pending;
        packet->pending >>= 8;
        packet->pending_bits -= 8;
    }
}

/* The bits of a number, lowest first. */
struct code {
    uint64_t bits;
    uint32_t count;
};

static struct code code_of(uint32_t number, uint32_t scale) {
    const uint64_t steps =
        (uint64_t)(number >> scale) + 1; /* in a class that begins at 2 to its power */
    const uint32_t class = 63u - (uint32_t)__builtin_clzll(steps);
    if (class >= KYMO_CLASS_LONG) {
        const uint32_t log = model_log(number);
        const uint64_t rest = log | (uint64_t)(number & ((UINT32_C(1) << log) - 1)) << LOG_BITS;
        return (struct code){rest << KYMO_CLASS_LONG, KYMO_CLASS_LONG + LOG_BITS + log};
    }
    const uint64_t rest = number - (((UINT64_C(1) << class) - 1) << scale);
    return (struct code){(rest << 1 | 1) << class, class + 1 + class + scale};
}

static void put_value(struct events_packet *packet, uint32_t number, struct model_value *value) {
    const uint32_t change = model_change(number, value->last);
    const struct code code = code_of(change, value->scale);
    put_bits(packet, code.bits, code.count);
    model_value_was(value, number, change);
}

static uint32_t put_new_slot(struct events_packet *packet, const struct wire_event *event) {
    const bool is_begin = event->kind == KYMO_KIND_ZONE_BEGIN;
    put_bits(packet, (uint64_t)is_begin << 1, 2);
    if (!is_begin) {
        put_bits(packet, event->kind, KIND_BITS);
    }
    if ((event->kind & KYMO_KIND_HAS_REF) != 0) {
        put_value(packet, event->reference, &packet->model.reference);
    }
    return model_define(&packet->model, event->kind, event->reference);
}

static void put_defined_slot(struct events_packet *packet, uint32_t slot) {
    const uint32_t last = packet->model.defined - 1;
    put_bits(packet, 1, 1);
    put_bits(packet, slot - 1, last == 0 ? 0 : model_log(last) + 1);
}

/* 0: it has none yet. */
static uint32_t slot_of(const struct bit_model *m, const struct wire_event *event) {
    uint32_t slot = m->defined;
    while (slot != 0 &&
           (m->slot[slot].kind != event->kind || m->slot[slot].reference != event->reference)) {
        slot--;
    }
    return slot;
}

/* Behind a code's first bit a 1 says that the guess was right, where that bit is 0. */
static void put_delta(struct events_packet *packet, uint32_t delta, struct model_pair *pair,
                      bool guessed) {
    const uint32_t number = pair->by_change ? model_change(delta, pair->last) : delta;
    struct code code = code_of(number, pair->scale);
    if (guessed && (code.bits & 1) == 0) {
        code.bits = code.bits << 1 | 2;
        code.count++;
    }
    put_bits(packet, code.bits, code.count);
    model_time_was(pair, delta);
}

static void put_frame(struct events_packet *packet, struct model_calls *calls, uint64_t caller,
                      uint64_t address) {
    uint64_t *last = &calls->last[kymo_model_call((uint32_t)caller)];
    if (*last == address) {
        put_bits(packet, 1, 1);
        return;
    }
    const bool same_high = address >> 32 == caller >> 32;
    put_bits(packet, same_high ? 2 : 0, 2);
    if (!same_high) {
        put_value(packet, (uint32_t)(address >> 32), &calls->high);
    }
    uint32_t *scale = *last != 0 ? &calls->scale_known : &calls->scale_new;
    const uint32_t change =
        model_change((uint32_t)address, (uint32_t)(*last != 0 ? *last : caller));
    const struct code code = code_of(change, *scale);
    put_bits(packet, code.bits, code.count);
    *scale = model_scale_behind(*scale, change);
    *last = address;
}

/* What the record says, as far as it has it. */
static uint32_t frames_of(const struct wire_event *event) {
    const uint32_t there = event->words != 0 ? event->words - 1 : 0;
    uint32_t frames = event->words != 0 && event->word[0] < there ? event->word[0] : there;
    return frames < KYMO_STACK_FRAMES_MAX ? frames : KYMO_STACK_FRAMES_MAX;
}

static void put_stack(struct events_packet *packet, const struct wire_event *event,
                      uint32_t frames) {
    struct model_calls *calls = model_calls(&packet->model);
    uint64_t caller = 0;
    for (uint32_t at = frames; at != 0; at--) {
        const uint64_t high_at = (uint64_t)event->word[0] + at; /* damaged, it may be anything */
        const uint64_t high = high_at < event->words ? event->word[high_at] : 0;
        const uint64_t address = event->word[at] | high << 32;
        put_frame(packet, calls, caller, address);
        caller = address;
    }
}

static void put_words(struct events_packet *packet, uint32_t slot, const struct wire_event *event) {
    uint8_t *words = &packet->model.slot[slot].words;
    const bool is_stack = event->kind == KYMO_KIND_CALLSTACK;
    const uint32_t count = is_stack ? frames_of(event) : event->words;
    put_bits(packet, count == *words, 1);
    if (count != *words) {
        *words = (uint8_t)count;
        put_bits(packet, count, WORDS_BITS);
    }
    if (is_stack) {
        put_stack(packet, event, count);
        return;
    }
    for (uint32_t i = 0; i < event->words; i++) {
        put_value(packet, event->word[i], model_value_of(&packet->model, slot, i));
    }
}

/* Returns its slot; its time is still to come. */
static uint32_t put_slot(struct events_packet *packet, const struct wire_event *event,
                         bool *guessed) {
    struct bit_model *m = &packet->model;
    const uint32_t guess = model_guess(m);
    const uint32_t slot = slot_of(m, event);
    m->slot[slot].used = true;
    *guessed = slot != 0 && slot == guess;
    if (*guessed) {
        return slot;
    }
    put_bits(packet, 0, guess != 0 ? 2 : 0);
    if (slot == 0) {
        return put_new_slot(packet, event);
    }
    put_defined_slot(packet, slot);
    return slot;
}

static bool fits(const struct events_packet *packet, const struct wire_event *event) {
    const uint32_t bits =
        packet->pending_bits + EVENT_BITS + NUMBER_BITS * (event->words + event->words / 16);
    return event->ticks - packet->ticks <= UINT32_MAX && packet->count != UINT16_MAX &&
           packet->length + (bits + 7) / 8 + COUNT_BYTES <= sizeof packet->bytes;
}

bool events_add(struct events_packet *packet, const struct wire_event *event) {
    bool guessed = false;
    if (!fits(packet, event)) {
        return false;
    }
    const uint32_t slot = put_slot(packet, event, &guessed);
    struct model_pair *pair = model_enter(&packet->model, slot);
    put_delta(packet, (uint32_t)(event->ticks - packet->ticks), pair, guessed);
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0) {
        put_words(packet, slot, event);
    }
    packet->ticks = event->ticks;
    packet->count++;
    return true;
}

void events_end(struct events_packet *packet) {
    put_bits(packet, 0, (8 - packet->pending_bits) % 8);
    packet->length = put_little(packet->bytes, packet->length, packet->count, COUNT_BYTES);
}
