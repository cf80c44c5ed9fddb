#include "dump/stream_events.h"

#include "kymo/wire.h"
#include "trace/compose.h"

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

void events_begin(struct events_frame *frame, const struct events_head *head) {
    uint8_t *bytes = frame->bytes;
    frame->count = 0;
    frame->pending = frame->pending_bits = 0;
    model_begin(&frame->model, SLOTS);
    bytes[0] = KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_FRAME_EVENTS;
    bytes[1] = head->sequence;
    bytes[2] = (uint8_t)(head->lane | SLOTS_CODE << 6);
    size_t at = put_varint(bytes, 3, head->first);
    at = put_varint(bytes, at, head->ticks);
    frame->length = put_varint(bytes, at, head->context);
    frame->ticks = head->ticks;
}

/* At most 57 bits, lowest first; the bits of "value" above them are 0. */
static void put_bits(struct events_frame *frame, uint64_t value, uint32_t count) {
    frame->pending |= value << frame->pending_bits;
    frame->pending_bits += count;
    while (frame->pending_bits >= 8) {
        frame->bytes[frame->length++] = (uint8_t)frame->pending;
        frame->pending >>= 8;
        frame->pending_bits -= 8;
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

static void put_value(struct events_frame *frame, uint32_t number, struct model_value *value) {
    const uint32_t change = model_change(number, value->last);
    const struct code code = code_of(change, value->scale);
    put_bits(frame, code.bits, code.count);
    model_value_was(value, number, change);
}

static uint32_t put_new_slot(struct events_frame *frame, const struct wire_event *event) {
    const bool is_begin = event->kind == KYMO_KIND_ZONE_BEGIN;
    put_bits(frame, (uint64_t)is_begin << 1, 2);
    if (!is_begin) {
        put_bits(frame, event->kind, KIND_BITS);
    }
    if ((event->kind & KYMO_KIND_HAS_REF) != 0) {
        put_value(frame, event->reference, &frame->model.reference);
    }
    return model_define(&frame->model, event->kind, event->reference);
}

static void put_defined_slot(struct events_frame *frame, uint32_t slot) {
    const uint32_t last = frame->model.defined - 1;
    put_bits(frame, 1, 1);
    put_bits(frame, slot - 1, last == 0 ? 0 : model_log(last) + 1);
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
static void put_delta(struct events_frame *frame, uint32_t delta, struct model_pair *pair,
                      bool guessed) {
    const uint32_t number = pair->by_change ? model_change(delta, pair->last) : delta;
    struct code code = code_of(number, pair->scale);
    if (guessed && (code.bits & 1) == 0) {
        code.bits = code.bits << 1 | 2;
        code.count++;
    }
    put_bits(frame, code.bits, code.count);
    model_time_was(pair, delta);
}

static void put_words(struct events_frame *frame, uint32_t slot, const struct wire_event *event) {
    uint8_t *words = &frame->model.slot[slot].words;
    put_bits(frame, event->words == *words, 1);
    if (event->words != *words) {
        *words = (uint8_t)event->words;
        put_bits(frame, event->words, WORDS_BITS);
    }
    for (uint32_t i = 0; i < event->words; i++) {
        put_value(frame, event->word[i], model_value_of(&frame->model, slot, i));
    }
}

/* Returns its slot; its time is still to come. */
static uint32_t put_slot(struct events_frame *frame, const struct wire_event *event,
                         bool *guessed) {
    struct bit_model *m = &frame->model;
    const uint32_t guess = model_guess(m);
    const uint32_t slot = slot_of(m, event);
    m->slot[slot].used = true;
    *guessed = slot != 0 && slot == guess;
    if (*guessed) {
        return slot;
    }
    put_bits(frame, 0, guess != 0 ? 2 : 0);
    if (slot == 0) {
        return put_new_slot(frame, event);
    }
    put_defined_slot(frame, slot);
    return slot;
}

static bool fits(const struct events_frame *frame, const struct wire_event *event) {
    const uint32_t bits = frame->pending_bits + EVENT_BITS + NUMBER_BITS * event->words;
    return event->ticks - frame->ticks <= UINT32_MAX && frame->count != UINT16_MAX &&
           frame->length + (bits + 7) / 8 + COUNT_BYTES <= sizeof frame->bytes;
}

bool events_add(struct events_frame *frame, const struct wire_event *event) {
    bool guessed = false;
    if (!fits(frame, event)) {
        return false;
    }
    const uint32_t slot = put_slot(frame, event, &guessed);
    struct model_pair *pair = model_enter(&frame->model, slot);
    put_delta(frame, (uint32_t)(event->ticks - frame->ticks), pair, guessed);
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0) {
        put_words(frame, slot, event);
    }
    frame->ticks = event->ticks;
    frame->count++;
    return true;
}

void events_end(struct events_frame *frame) {
    put_bits(frame, 0, (8 - frame->pending_bits) % 8);
    frame->length = put_little(frame->bytes, frame->length, frame->count, COUNT_BYTES);
}
