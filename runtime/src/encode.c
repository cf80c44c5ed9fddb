#include "encode.h"

#include "kymo/bytes.h"
#include "number.h"

#if KYMO_ENABLE && !KYMO_WIRE_RAW

/* What looking at one slot costs, once to find one and once to spare it. */
#define SLOT_STEP_WORK 7
/* And what a number far from what is expected costs more. */
#define LONG_WORK 60

#define LENGTH_BITS 5u

/* At most 25 bits, lowest first; the bits of "value" above them are 0. */
static inline void put_bits(struct kymo_outgoing *out, uint32_t value, uint32_t count) {
    if (out->pending_bits + count > 32u) {
        kymo_out_pending(out);
    }
    out->pending |= value << out->pending_bits;
    out->pending_bits += count;
}

static void put_low(struct kymo_outgoing *out, uint32_t value, uint32_t count) {
    if (count > 16u) {
        put_bits(out, value & 0xffffu, 16u);
        value >>= 16;
        count -= 16u;
    }
    put_bits(out, value & ((1u << count) - 1u), count);
}

/* A number behind its class, which has "prefix". */
static void put_rest(struct kymo_outgoing *out, uint32_t prefix, uint32_t prefix_bits,
                     uint32_t value, uint32_t scale, uint32_t class) {
    uint32_t count = scale;
    if (class == KYMO_CLASS_LONG) {
        out->work -= LONG_WORK;
        count = kymo_log2(value, 16u);
        prefix |= count << prefix_bits;
        prefix_bits += LENGTH_BITS;
    }
    if (count + prefix_bits <= 25u) {
        put_bits(out, prefix | (value & ((1u << count) - 1u)) << prefix_bits, prefix_bits + count);
    } else {
        put_bits(out, prefix, prefix_bits);
        put_low(out, value, count);
    }
    if (class != 0u && class != KYMO_CLASS_LONG) {
        put_bits(out, ((value >> scale) + 1u) & ((1u << class) - 1u), class);
    }
}

/* The class in unary: as many zeros, then a one, but for the last class. Where a slot was guessed this also says that
 * the guess was right: by a first bit of one, or by a one behind a first bit of zero. */
static __attribute__((noinline)) void put_scaled(struct kymo_outgoing *out, uint32_t value,
                                                 uint32_t scale, bool guessed) {
    const uint32_t class = kymo_class_of(value, scale);
    const uint32_t second = guessed && class != 0u ? 1u : 0u;
    const uint32_t ends = class != KYMO_CLASS_LONG ? 1u : 0u;
    put_rest(out, second << 1 | ends << (class + second), class + second + ends, value, scale,
             class);
}

/* Once, for small code. */
static __attribute__((noinline)) uint32_t scale_after(uint32_t scale, uint32_t value) {
    return kymo_scale_after(scale, value);
}

/* By its change from "before". */
static void put_near(struct kymo_outgoing *out, uint8_t *scale, uint32_t before, uint32_t value) {
    const uint32_t change = kymo_change_of(value, before);
    put_scaled(out, change, *scale, false);
    *scale = (uint8_t)scale_after(*scale, change);
}

static void put_change(struct kymo_encoder *e, struct kymo_outgoing *out, uint32_t index,
                       uint32_t value) {
    put_near(out, &e->expected.scale[index], e->expected.last[index], value);
    e->expected.last[index] = value;
}

static inline bool slot_is(const struct kymo_slot *slot, const struct kymo_encode_event *event) {
    return slot->key == event->key && slot->kind == event->kind && slot->low == event->low;
}

bool kymo_encode_guess(struct kymo_encoder *e, const struct kymo_encode_event *event) {
    const uint32_t guess = e->expected.successors[kymo_pair_of(e->before, e->before2)];
    e->found = (uint8_t)guess;
    e->guessed = guess != 0u && slot_is(&e->slot[guess], event);
    if (e->guessed) {
        e->slot[guess].used = true;
    }
    return e->guessed;
}

static uint32_t bits_for(uint32_t greatest) {
    return greatest != 0u ? kymo_log2(greatest, 3u) + 1u : 0u;
}

bool kymo_encode_find(struct kymo_encoder *e, struct kymo_outgoing *out,
                      const struct kymo_encode_event *event) {
    const uint32_t miss_bits = e->found != 0u ? 2u : 0u;
    uint32_t slot = 1u;
    while (slot <= e->slots && !slot_is(&e->slot[slot], event)) {
        slot++;
    }
    out->work -= SLOT_STEP_WORK * (int32_t)slot;
    const bool known = slot <= e->slots;
    e->found = (uint8_t)(known ? slot : 0u);
    e->slot[e->found].used = true;
    put_bits(out, known ? (1u | (slot - 1u) << 1) << miss_bits : 0u,
             miss_bits + 1u + (known ? bits_for(e->slots - 1u) : 0u));
    return known;
}

static uint32_t next_victim(uint32_t slot) { return slot < KYMO_WIRE_SLOTS ? slot + 1u : 2u; }

/* The oldest one that was not used since it was last passed over. The end of a zone always stays. */
static uint32_t free_slot(struct kymo_encoder *e, struct kymo_outgoing *out) {
    if (e->slots < KYMO_WIRE_SLOTS) {
        return ++e->slots;
    }
    uint32_t slot = e->victim;
    while (e->slot[slot].used) {
        e->slot[slot].used = false;
        slot = next_victim(slot);
        out->work -= SLOT_STEP_WORK;
    }
    e->victim = (uint8_t)next_victim(slot);
    return slot;
}

void kymo_encode_define(struct kymo_encoder *e, struct kymo_outgoing *out,
                        const struct kymo_encode_event *event) {
    const bool begins = event->kind == KYMO_KIND_ZONE_BEGIN;
    put_bits(out, begins ? 1u : (uint32_t)event->kind << 1, begins ? 1u : 9u);
    e->found = (uint8_t)free_slot(e, out);
    struct kymo_slot *slot = &e->slot[e->found];
    slot->key = event->key;
    slot->kind = event->kind;
    slot->low = event->low;
    slot->words = 0u;
    slot->used = false;
    e->guessed = false;
}

void kymo_encode_reference(struct kymo_encoder *e, struct kymo_outgoing *out, uint32_t reference) {
    put_change(e, out, KYMO_ENCODE_REFERENCE, reference);
}

/* The delta itself, or how it changed since the last time at this place: whichever was shorter then. */
static void put_delta(struct kymo_encoder *e, struct kymo_outgoing *out, uint32_t pair,
                      uint32_t delta) {
    uint32_t *last = &e->expected.last[pair];
    uint8_t *state = &e->expected.scale[pair];
    const uint32_t scale = *state & KYMO_SCALE_MASK;
    const uint32_t change = kymo_change_of(delta, *last);
    const uint32_t coded = (*state & KYMO_BY_CHANGE) != 0u ? change : delta;
    put_scaled(out, coded, scale, e->guessed);
    *last = delta;
    *state = (uint8_t)(scale_after(scale, change < delta ? change : delta) |
                       (change < delta ? KYMO_BY_CHANGE : 0u));
}

void kymo_encode_time(struct kymo_encoder *e, struct kymo_outgoing *out,
                      const struct kymo_encode_event *event) {
    const uint32_t before = e->before;
    const uint32_t slot = e->found;
    put_delta(e, out, kymo_pair_of(slot, before), (uint32_t)(event->time - e->time));
    e->time = event->time;
    e->expected.successors[kymo_pair_of(before, e->before2)] = (uint8_t)slot;
    e->before2 = (uint8_t)before;
    e->before = (uint8_t)slot;
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0u) {
        const bool as_before = event->words == e->slot[slot].words;
        put_bits(out, as_before ? 1u : (uint32_t)event->words << 1, as_before ? 1u : 9u);
        e->slot[slot].words = event->words;
    }
}

void kymo_encode_word(struct kymo_encoder *e, struct kymo_outgoing *out, uint32_t index,
                      uint32_t word) {
    put_change(e, out, KYMO_ENCODE_PAIRS + ((e->before + index) & (KYMO_ENCODE_VALUES - 1u)), word);
}

#if KYMO_CALLSTACKS

static uint32_t high_of(uintptr_t address) { return (uint32_t)((uint64_t)address >> 32); }

void kymo_encode_begin_calls(struct kymo_encoder *e) {
    kymo_put_zero_words(&e->calls, sizeof e->calls);
}

bool kymo_encode_frame(struct kymo_encoder *e, struct kymo_outgoing *out, uintptr_t address,
                       bool first) {
    struct kymo_calls *calls = &e->calls;
    const uintptr_t caller = first ? 0u : calls->caller;
    uintptr_t *const last = &calls->last[kymo_model_call((uint32_t)caller)];
    if (*last == address) {
        calls->caller = address;
        put_bits(out, 1u, 1u);
        return true;
    }
    if (high_of(address) != high_of(caller) && !calls->has_high) {
        calls->has_high = true;
        put_bits(out, 0u, 2u);
        put_near(out, &calls->scale_high, calls->high, high_of(address));
        calls->high = high_of(address);
        return false;
    }
    if (!calls->has_high) {
        put_bits(out, 2u, 2u);
    }
    put_near(out, *last != 0u ? &calls->scale_known : &calls->scale_new,
             (uint32_t)(*last != 0u ? *last : caller), (uint32_t)address);
    calls->has_high = false;
    calls->caller = address;
    *last = address;
    return true;
}

#endif

void kymo_encode_begin(struct kymo_encoder *e, struct kymo_outgoing *out, uint64_t time) {
    out->pending = out->pending_bits = 0u;
    kymo_put_zero_words(&e->expected, sizeof e->expected);
    e->time = time;
    e->before = e->before2 = 0u;
    e->slot[1].key = KYMO_TAG_END32;
    e->slot[1].words = 0u;
    e->slot[1].kind = KYMO_KIND_ZONE_END;
    e->slot[1].low = 0u;
    e->slots = 1u;
    e->victim = 2u;
}

void kymo_encode_end(struct kymo_outgoing *out) {
    out->pending_bits = (out->pending_bits + 7u) & ~7u;
    if (out->pending_bits != 0u) {
        kymo_out_pending(out);
    }
    kymo_out_bytes(out, out->events, KYMO_COUNT_BYTES);
}

#endif
