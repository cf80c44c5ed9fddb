#include "encode.h"

#include "kymo/bytes.h"

#if KYMO_ENABLE

#define DELTA_IS_CHANGE 0x80u
#define LENGTH_BITS 6u

static void put_bits(struct kymo_encoder *e, uint32_t value, uint32_t count) {
    e->pending |= value << e->pending_bits; /* at most 7 + 24 bits */
    e->pending_bits += count;
    while (e->pending_bits >= 8u) {
        e->out[e->used++] = (uint8_t)e->pending;
        e->pending >>= 8;
        e->pending_bits -= 8u;
    }
}

static uint32_t bit_length(uint32_t value) {
    uint32_t length = 0u;
    while (value != 0u) {
        value >>= 1;
        length++;
    }
    return length;
}

/* The bits below the leading one, which the length implies. */
static void put_mantissa(struct kymo_encoder *e, uint32_t value, uint32_t length) {
    uint32_t count = length > 1u ? length - 1u : 0u;
    uint32_t low = count < 16u ? count : 16u;
    put_bits(e, value & ((1u << low) - 1u), low);
    count -= low;
    put_bits(e, value >> 16 & ((1u << count) - 1u), count);
}

static void put_plain(struct kymo_encoder *e, uint32_t value) {
    uint32_t length = bit_length(value);
    put_bits(e, length, LENGTH_BITS);
    put_mantissa(e, value, length);
}

/* Prefixes, first bit first: 1 as expected, 01 one shorter, 001 one longer, 000 + length
 * otherwise. */
static uint32_t put_expected(struct kymo_encoder *e, uint32_t value, uint32_t expected) {
    uint32_t length = bit_length(value);
    if (length == expected) {
        put_bits(e, 1u, 1u);
    } else if (length + 1u == expected) {
        put_bits(e, 2u, 2u);
    } else if (length == expected + 1u) {
        put_bits(e, 4u, 3u);
    } else {
        put_bits(e, length << 3, 3u + LENGTH_BITS);
    }
    put_mantissa(e, value, length);
    return length;
}

/* The change from "before", small either way as a small number. */
static uint32_t zigzag(uint32_t value, uint32_t before) {
    uint32_t change = value - before;
    return change << 1 ^ (0u - (change >> 31));
}

static void clear_slot(struct kymo_slot *slot, const struct kymo_encode_event *event) {
    slot->reference = event->reference;
    slot->last_delta = slot->last_word = 0u;
    slot->kind = (uint8_t)event->kind;
    slot->delta_bits = slot->word_bits = slot->words = 0u;
}

static bool slot_is(const struct kymo_slot *slot, const struct kymo_encode_event *event) {
    return slot->kind == (uint8_t)event->kind && slot->reference == event->reference;
}

static uint8_t define_slot(struct kymo_encoder *e, const struct kymo_encode_event *event) {
    put_bits(e, (uint32_t)event->kind, 6u);
    if (((uint32_t)event->kind & KYMO_KIND_HAS_REF) != 0u) {
        put_plain(e, event->reference);
    }
    uint32_t slot = 0u;
    if (e->slots < KYMO_WIRE_SLOTS) {
        slot = ++e->slots;
    } else {
        slot = ++e->victim;
        e->victim &= KYMO_WIRE_SLOTS - 1u;
    }
    clear_slot(&e->slot[slot], event);
    return (uint8_t)slot;
}

static uint8_t put_slot(struct kymo_encoder *e, const struct kymo_encode_event *event,
                        uint8_t predicted) {
    if (predicted != 0u) {
        bool hit = slot_is(&e->slot[predicted], event);
        put_bits(e, hit ? 1u : 0u, 1u);
        if (hit) {
            return predicted;
        }
    }
    uint32_t width = bit_length(e->slots);
    for (uint32_t i = 1u; i <= e->slots; i++) {
        if (slot_is(&e->slot[i], event)) {
            put_bits(e, i - 1u, width);
            return (uint8_t)i;
        }
    }
    put_bits(e, e->slots, width);
    return define_slot(e, event);
}

static uint8_t put_identity(struct kymo_encoder *e, const struct kymo_encode_event *event) {
    uint32_t successor = (e->before + 5u * e->before2) & (KYMO_SUCCESSORS - 1u);
    uint8_t slot = put_slot(e, event, e->successors[successor]);
    e->successors[successor] = slot;
    e->before2 = e->before;
    e->before = slot;
    return slot;
}

/* The delta itself, or how it changed since the last time at this place: whichever was shorter
 * then. */
static void put_delta(struct kymo_encoder *e, uint8_t timing_slot, uint32_t delta) {
    struct kymo_slot *slot = &e->slot[timing_slot];
    uint32_t change = zigzag(delta, slot->last_delta);
    bool by_change = (slot->delta_bits & DELTA_IS_CHANGE) != 0u;
    uint32_t expected = slot->delta_bits & (DELTA_IS_CHANGE - 1u);

    (void)put_expected(e, by_change ? change : delta, expected);
    slot->last_delta = delta;
    slot->delta_bits =
        (uint8_t)(change < delta ? bit_length(change) | DELTA_IS_CHANGE : bit_length(delta));
}

static void put_words(struct kymo_encoder *e, struct kymo_slot *slot,
                      const struct kymo_encode_event *event) {
    if (event->words == slot->words) {
        put_bits(e, 1u, 1u);
    } else {
        put_bits(e, event->words << 1, 9u);
        slot->words = (uint8_t)event->words;
    }
    for (uint32_t i = 0u; i < event->words; i++) {
        uint32_t word = event->word[i];
        if (i != 0u) {
            put_plain(e, word);
            continue;
        }
        slot->word_bits = (uint8_t)put_expected(e, zigzag(word, slot->last_word), slot->word_bits);
        slot->last_word = word;
    }
}

void kymo_encode_begin(struct kymo_encoder *e, uint8_t *out, uint32_t size, uint32_t time) {
    e->out = out;
    e->size = size;
    e->used = 0u;
    e->pending = 0u;
    e->pending_bits = 0u;
    e->time = time;
    e->slots = 0u;
    e->victim = 0u;
    e->before = e->before2 = 0u;
    kymo_put_zeros(e->successors, sizeof e->successors);
    kymo_put_zeros(&e->slot[0], sizeof e->slot[0]);
}

/* Longest: slot 1 + 7 bits, its definition 6 + 6 + 31, delta 9 + 31, count of words 9, first word 9
 * + 31, others 6 + 31. */
bool kymo_encode_fits(const struct kymo_encoder *e, uint32_t words) {
    return e->used + (e->pending_bits + 143u + 37u * words + 7u) / 8u <= e->size;
}

void kymo_encode_event(struct kymo_encoder *e, const struct kymo_encode_event *event) {
    uint8_t before = e->before;
    uint8_t slot = put_identity(e, event);
    put_delta(e, before, (uint32_t)event->time - e->time);
    e->time = (uint32_t)event->time;
    if (((uint32_t)event->kind & KYMO_KIND_HAS_WORDS) != 0u) {
        put_words(e, &e->slot[slot], event);
    }
}

uint32_t kymo_encode_end(struct kymo_encoder *e) {
    if (e->pending_bits != 0u) {
        put_bits(e, 0u, 8u - e->pending_bits);
    }
    return e->used;
}

#endif
