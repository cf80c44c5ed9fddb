#include "encode.h"

#include "kymo/bytes.h"

#if KYMO_ENABLE

#define DELTA_IS_CHANGE 0x80u
#define LENGTH_BITS 6u
/* What looking at one slot costs. */
#define SLOT_STEP_WORK 7
/* And what a number of more than 17 bits costs more. */
#define LONG_WORK 60

static __attribute__((noinline)) void put_bytes(struct kymo_outgoing *out) {
    do {
        kymo_out_u8(out, (uint8_t)out->pending);
        out->pending >>= 8;
        out->pending_bits -= 8u;
    } while (out->pending_bits >= 8u);
}

/* At most 25 bits, lowest first; the bits of "value" above them are 0. */
static void put_bits(struct kymo_outgoing *out, uint32_t value, uint32_t count) {
    uint32_t before = out->pending_bits;
    out->pending |= value << before;
    out->pending_bits = before + count;
    if (before + count >= 8u) {
        put_bytes(out);
    }
}

/* Cores without an instruction for it would call a library for the compiler's own function. */
static uint32_t bit_length(uint32_t value) {
    uint32_t length = 0u;
    while (value >= 0x100u) {
        value >>= 8;
        length += 8u;
    }
    while (value != 0u) {
        value >>= 1;
        length++;
    }
    return length;
}

/* A prefix of at most 9 bits, then the bits of the number below the leading one, which the length implies. */
static void put_number(struct kymo_outgoing *out, uint32_t prefix, uint32_t prefix_bits,
                       uint32_t value, uint32_t length) {
    uint32_t count = length > 1u ? length - 1u : 0u;
    uint32_t low = count < 16u ? count : 16u;
    put_bits(out, prefix | (value & ((1u << low) - 1u)) << prefix_bits, prefix_bits + low);
    count -= low;
    if (count != 0u) {
        out->work -= LONG_WORK;
        put_bits(out, value >> 16 & ((1u << count) - 1u), count);
    }
}

static void put_plain(struct kymo_outgoing *out, uint32_t value) {
    uint32_t length = bit_length(value);
    put_number(out, length, LENGTH_BITS, value, length);
}

/* Prefixes, first bit first: 1 as expected, 01 one shorter, 001 one longer, 000 + length
 * otherwise. */
static uint32_t put_expected(struct kymo_outgoing *out, uint32_t value, uint32_t expected) {
    uint32_t length = bit_length(value);
    uint32_t prefix = length << 3;
    uint32_t bits = 3u + LENGTH_BITS;
    if (length == expected) {
        prefix = bits = 1u;
    } else if (length + 1u == expected) {
        prefix = bits = 2u;
    } else if (length == expected + 1u) {
        prefix = 4u;
        bits = 3u;
    }
    put_number(out, prefix, bits, value, length);
    return length;
}

/* The change from "before", small either way as a small number. */
static uint32_t zigzag(uint32_t value, uint32_t before) {
    uint32_t change = value - before;
    return change << 1 ^ (0u - (change >> 31));
}

static bool slot_is(const struct kymo_slot *slot, const struct kymo_encode_event *event) {
    return slot->reference == event->reference && slot->kind == event->kind;
}

/* Field by field: of an initialiser the compiler may make a call of memset. */
static void clear_slot(struct kymo_slot *slot, const struct kymo_encode_event *event) {
    slot->reference = event->reference;
    slot->last_delta = slot->last_word = 0u;
    slot->kind = event->kind;
    slot->delta_bits = slot->word_bits = slot->words = 0u;
}

static void enter_slot(struct kymo_encoder *e, uint32_t slot) {
    e->successors[(e->before + 5u * e->before2) & (KYMO_SUCCESSORS - 1u)] = (uint8_t)slot;
    e->before2 = e->before;
    e->before = (uint8_t)slot;
}

void kymo_encode_slot(struct kymo_encoder *e, struct kymo_outgoing *out,
                      const struct kymo_encode_event *event) {
    put_bits(out, event->kind, 6u);
    if ((event->kind & KYMO_KIND_HAS_REF) != 0u) {
        put_plain(out, event->reference);
    }
    uint32_t slot = 0u;
    if (e->slots < KYMO_WIRE_SLOTS) {
        slot = ++e->slots;
    } else {
        slot = e->victim + 1u;
        e->victim = (uint8_t)(slot & (KYMO_WIRE_SLOTS - 1u));
    }
    clear_slot(&e->slot[slot], event);
    enter_slot(e, slot);
}

/* Returns its number, or 0 if it is still to be defined. */
static uint32_t find_slot(struct kymo_encoder *e, struct kymo_outgoing *out,
                          const struct kymo_encode_event *event) {
    const uint32_t predicted =
        e->successors[(e->before + 5u * e->before2) & (KYMO_SUCCESSORS - 1u)];
    if (predicted != 0u) {
        bool hit = slot_is(&e->slot[predicted], event);
        put_bits(out, hit ? 1u : 0u, 1u);
        if (hit) {
            return predicted;
        }
    }
    const struct kymo_slot *slot = &e->slot[1];
    const struct kymo_slot *end = slot + e->slots;
    while (slot != end && !slot_is(slot, event)) {
        slot++;
    }
    const uint32_t index = (uint32_t)(slot - &e->slot[1]);
    out->work -= SLOT_STEP_WORK * (int32_t)index;
    put_bits(out, index, bit_length(e->slots));
    return slot != end ? index + 1u : 0u;
}

bool kymo_encode_known(struct kymo_encoder *e, struct kymo_outgoing *out,
                       const struct kymo_encode_event *event) {
    const uint32_t slot = find_slot(e, out, event);
    if (slot != 0u) {
        enter_slot(e, slot);
    }
    return slot != 0u;
}

/* The delta itself, or how it changed since the last time at this place: whichever was shorter
 * then. */
static void put_delta(struct kymo_outgoing *out, struct kymo_slot *slot, uint32_t delta) {
    uint32_t change = zigzag(delta, slot->last_delta);
    uint32_t bits = slot->delta_bits;
    uint32_t shorter = change < delta ? change : delta;
    uint32_t coded = (bits & DELTA_IS_CHANGE) != 0u ? change : delta;
    uint32_t length = put_expected(out, coded, bits & (DELTA_IS_CHANGE - 1u));
    length = coded == shorter ? length : bit_length(shorter);
    slot->last_delta = delta;
    slot->delta_bits = (uint8_t)(change < delta ? length | DELTA_IS_CHANGE : length);
}

void kymo_encode_time(struct kymo_encoder *e, struct kymo_outgoing *out,
                      const struct kymo_encode_event *event) {
    put_delta(out, &e->slot[e->before2], (uint32_t)(event->time - e->time));
    e->time = event->time;
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0u) {
        struct kymo_slot *slot = &e->slot[e->before];
        if (event->words == slot->words) {
            put_bits(out, 1u, 1u);
        } else {
            put_bits(out, (uint32_t)event->words << 1, 9u);
            slot->words = event->words;
        }
    }
}

void kymo_encode_word(struct kymo_encoder *e, struct kymo_outgoing *out, uint32_t index,
                      uint32_t word) {
    struct kymo_slot *slot = &e->slot[e->before];
    if (index != 0u) {
        put_plain(out, word);
        return;
    }
    slot->word_bits = (uint8_t)put_expected(out, zigzag(word, slot->last_word), slot->word_bits);
    slot->last_word = word;
}

void kymo_encode_begin(struct kymo_encoder *e, struct kymo_outgoing *out, uint64_t time) {
    out->pending = out->pending_bits = 0u;
    e->time = time;
    e->slots = e->victim = 0u;
    e->before = e->before2 = 0u;
    kymo_put_zeros(e->successors, sizeof e->successors);
    kymo_put_zeros(&e->slot[0], sizeof e->slot[0]);
}

void kymo_encode_end(struct kymo_outgoing *out) {
    if (out->pending_bits != 0u) {
        put_bits(out, 0u, 8u - out->pending_bits);
    }
    kymo_out_u8(out, (uint8_t)out->events);
    kymo_out_u8(out, (uint8_t)(out->events >> 8));
}

#endif
