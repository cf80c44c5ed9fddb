#include "dump/stream_events.h"

#include <string.h>

#include "kymo/wire.h"
#include "trace/compose.h"

#define SLOTS 64u
#define SLOTS_CODE 3u /* of 64, in the head */
/* Most bytes that an event takes: slot and kind, reference, delta, the number of words; and each word. */
#define EVENT_BYTES 20u
#define WORD_BYTES 5u
#define COUNT_BYTES 2u

void events_begin(struct events_frame *frame, const struct events_head *head) {
    uint8_t *bytes = frame->bytes;
    memset(frame, 0, sizeof *frame);
    bytes[0] = KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_FRAME_EVENTS;
    bytes[1] = head->sequence;
    bytes[2] = (uint8_t)(head->lane | SLOTS_CODE << 6);
    size_t at = put_varint(bytes, 3, head->first);
    at = put_varint(bytes, at, head->ticks);
    frame->length = put_varint(bytes, at, head->context);
    frame->ticks = head->ticks;
}

/* At most 24 bits, lowest first. */
static void put_bits(struct events_frame *frame, uint32_t value, uint32_t count) {
    frame->pending |= value << frame->pending_bits;
    frame->pending_bits += count;
    while (frame->pending_bits >= 8) {
        frame->bytes[frame->length++] = (uint8_t)frame->pending;
        frame->pending >>= 8;
        frame->pending_bits -= 8;
    }
}

static uint32_t bit_length(uint32_t value) {
    return value == 0 ? 0 : 32u - (uint32_t)__builtin_clz(value);
}

/* WIRE.md: "plain" is the length in 6 bits, then the bits below the highest one. */
static void put_plain(struct events_frame *frame, uint32_t value) {
    uint32_t length = bit_length(value);
    put_bits(frame, length, 6);
    if (length > 1) {
        uint32_t mantissa = value & ~(UINT32_C(1) << (length - 1));
        uint32_t low = length - 1 < 16 ? length - 1 : 16;
        put_bits(frame, mantissa & ((UINT32_C(1) << low) - 1), low);
        put_bits(frame, mantissa >> low, length - 1 - low);
    }
}

/* "expected(0)": a 1 for the length 0; else three zeros and the number in plain, which is always right. */
static void put_expected_0(struct events_frame *frame, uint32_t value) {
    if (value == 0) {
        put_bits(frame, 1, 1);
        return;
    }
    if (bit_length(value) == 1) {
        put_bits(frame, 4, 3); /* longer by one than expected */
        return;
    }
    put_bits(frame, 0, 3);
    put_plain(frame, value);
}

/* A new slot, whatever the model foretells. */
static void put_slot(struct events_frame *frame, const struct wire_event *event) {
    uint8_t *successor = &frame->successor[(frame->before + 5 * frame->before2) % 64];
    if (*successor != 0) {
        put_bits(frame, 0, 1);
    }
    put_bits(frame, frame->defined, bit_length(frame->defined));
    put_bits(frame, event->kind, 6);
    if ((event->kind & KYMO_KIND_HAS_REF) != 0) {
        put_plain(frame, event->reference);
    }
    uint32_t slot = frame->victim + 1;
    if (frame->defined < SLOTS) {
        slot = ++frame->defined;
    } else {
        frame->victim = slot % SLOTS;
    }
    *successor = (uint8_t)slot;
    frame->before2 = frame->before;
    frame->before = slot;
}

static void put_words(struct events_frame *frame, const struct wire_event *event) {
    put_bits(frame, event->words == 0, 1);
    if (event->words != 0) {
        put_bits(frame, event->words, 8);
    }
    for (uint32_t i = 0; i < event->words; i++) {
        uint32_t word = event->word[i];
        if (i == 0) {
            put_expected_0(frame, word << 1 ^ (0u - (word >> 31)));
        } else {
            put_plain(frame, word);
        }
    }
}

bool events_add(struct events_frame *frame, const struct wire_event *event) {
    uint64_t delta = event->ticks - frame->ticks;
    if (delta > UINT32_MAX || frame->count == UINT16_MAX ||
        frame->length + EVENT_BYTES + WORD_BYTES * event->words + COUNT_BYTES >
            sizeof frame->bytes) {
        return false;
    }
    put_slot(frame, event);
    put_expected_0(frame, (uint32_t)delta);
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0) {
        put_words(frame, event);
    }
    frame->ticks = event->ticks;
    frame->count++;
    return true;
}

void events_end(struct events_frame *frame) {
    put_bits(frame, 0, (8 - frame->pending_bits) % 8);
    frame->length = put_little(frame->bytes, frame->length, frame->count, COUNT_BYTES);
}
