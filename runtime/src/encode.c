#include "encode.h"

#include "kymo/bytes.h"

#if KYMO_ENABLE

/* What looking at one slot costs, and all around that; and to define one. */
#define SLOT_FIND_WORK 4
#define FIND_WORK 25
#define DEFINE_WORK 100

uint8_t *kymo_encode_long_number(uint8_t *at, uint32_t number) {
    if (number < KYMO_NUMBER_LEAST_FIVE) {
        if (number < KYMO_NUMBER_LEAST_THREE) {
            number += (KYMO_NUMBER_TWO << 8) - KYMO_NUMBER_LEAST_TWO;
        } else {
            number += (KYMO_NUMBER_THREE << 16) - KYMO_NUMBER_LEAST_THREE;
            *at++ = (uint8_t)(number >> 16);
        }
    } else {
        *at++ = KYMO_NUMBER_FIVE;
        *at++ = (uint8_t)(number >> 24);
        *at++ = (uint8_t)(number >> 16);
    }
    at[0] = (uint8_t)(number >> 8);
    at[1] = (uint8_t)number;
    return at + 2;
}

/* Addresses of sites lie side by side. */
static __attribute__((noinline)) uint8_t *hint_of(struct kymo_encoder *e,
                                                  const struct kymo_slot *place) {
    const uint32_t key = place->key ^ place->reference;
    return &e->hints[(key >> 3 ^ key >> 5 ^ key >> 10) & (KYMO_ENCODE_HINTS - 1u)];
}

static uint32_t follow_with(struct kymo_encoder *e, uint8_t *hint, uint32_t slot) {
    uint8_t *const pair = &e->expected.pairs[e->pair];
    *pair = (uint8_t)((*pair & KYMO_PAIR_BY_CHANGE) | slot);
    *hint = (uint8_t)slot;
    return slot;
}

uint8_t *kymo_encode_ticks(struct kymo_encoder *e, uint8_t *at, uint32_t slot, uint32_t delta) {
    uint32_t expected;
    return kymo_encode_number(at, kymo_encode_time(e, slot, delta, &e->before, &expected));
}

uint32_t kymo_encode_recall(struct kymo_encoder *e, const struct kymo_slot *place) {
    uint8_t *const hint = hint_of(e, place);
    const uint32_t slot = *hint;
    if (slot >= e->slots || !kymo_slot_is(&e->slot[slot], place)) {
        return KYMO_ENCODE_NONE;
    }
    e->used[slot] = 1u;
    return follow_with(e, hint, slot);
}

uint32_t kymo_encode_find(struct kymo_encoder *e, const struct kymo_slot *place, int32_t *work) {
    const struct kymo_slot *at = e->slot;
    e->slot[e->slots] = *place;
    while (!kymo_slot_is(at, place)) {
        at++;
    }
    const uint32_t slot = (uint32_t)(at - e->slot);
    *work -= FIND_WORK + SLOT_FIND_WORK * (int32_t)slot;
    if (slot == e->slots) {
        return KYMO_ENCODE_NONE;
    }
    e->used[slot] = 1u;
    return follow_with(e, hint_of(e, place), slot);
}

static uint32_t next_victim(uint32_t slot) { return slot + 1u < KYMO_WIRE_SLOTS ? slot + 1u : 1u; }

/* The oldest one that was not named since it was last passed over. The end of a zone always stays. */
static uint32_t free_slot(struct kymo_encoder *e) {
    if (e->slots < KYMO_WIRE_SLOTS) {
        return e->slots++;
    }
    uint32_t slot = e->victim;
    for (uint32_t spared = 0u; spared != KYMO_MODEL_SPARED && e->used[slot] != 0u; spared++) {
        e->used[slot] = 0u;
        slot = next_victim(slot);
    }
    e->victim = (uint8_t)next_victim(slot);
    return slot;
}

uint32_t kymo_encode_define(struct kymo_encoder *e, const struct kymo_slot *place, int32_t *work) {
    *work -= DEFINE_WORK;
    const uint32_t slot = free_slot(e);
    e->slot[slot] = *place;
    e->used[slot] = 0u;
    return follow_with(e, hint_of(e, place), slot);
}

/* By its change from *before, and is that from here on. */
static uint32_t change_to(uint32_t *before, uint32_t value) {
    const uint32_t change = kymo_change_of(value, *before);
    *before = value;
    return change;
}

uint8_t *kymo_encode_new(struct kymo_encoder *e, uint8_t *at, uint32_t kind, uint32_t reference,
                         uint32_t words) {
    *at++ = kind == KYMO_KIND_ZONE_BEGIN ? KYMO_CODE_NEW_BEGIN : KYMO_CODE_NEW;
    if (kind != KYMO_KIND_ZONE_BEGIN) {
        *at++ = (uint8_t)kind;
    }
    if ((kind & KYMO_KIND_HAS_REF) != 0u) {
        const bool is_object = (kind & KYMO_KIND_HAS_OBJECT) != 0u;
        if (is_object || KYMO_KIND_OF_CONTEXT(kind)) {
            reference = change_to(is_object ? &e->object : &e->context, reference);
        } else {
            reference >>= 1;
        }
        at = kymo_encode_number(at, reference);
    }
    if ((kind & KYMO_KIND_HAS_WORDS) != 0u) {
        *at++ = (uint8_t)words;
    }
    return at;
}

uint8_t *kymo_encode_word(struct kymo_encoder *e, uint8_t *at, uint32_t index, uint32_t word,
                          bool *as_it_is) {
    const uint32_t number = change_to(
        &e->expected.values[KYMO_MODEL_VALUE(KYMO_ENCODE_VALUES, e->before, index)], word);
    if (!*as_it_is && number < KYMO_NUMBER_LEAST_FIVE) {
        return kymo_encode_number(at, number);
    }
    if (!*as_it_is) {
        *at++ = KYMO_CODE_WORDS;
        *as_it_is = true;
    }
    for (uint32_t i = 0u; i < 4u; i++) {
        *at++ = (uint8_t)word;
        word >>= 8;
    }
    return at;
}

#if KYMO_CALLSTACKS

static uint32_t high_of(uintptr_t address) { return (uint32_t)((uint64_t)address >> 32); }

void kymo_encode_begin_calls(struct kymo_encoder *e) {
    kymo_put_zero_words(&e->calls, sizeof e->calls);
}

static uint8_t *end_run(struct kymo_calls *calls, uint8_t *at) {
    if (calls->run != 0u) {
        *at++ = (uint8_t)(KYMO_CODE_FRAMES - 1u + calls->run);
        calls->run = 0u;
    }
    return at;
}

uint8_t *kymo_encode_frame(struct kymo_encoder *e, uint8_t *at, uintptr_t address, bool first,
                           bool last) {
    struct kymo_calls *calls = &e->calls;
    const uintptr_t caller = first ? 0u : calls->caller;
    uintptr_t *const expected = &calls->last[kymo_model_call((uint32_t)caller)];
    calls->caller = address;
    if (*expected == address) {
        calls->run++;
        return last ? end_run(calls, at) : at;
    }
    at = end_run(calls, at);
    if (high_of(address) != high_of(caller)) {
        *at++ = KYMO_CODE_HIGH;
        at = kymo_encode_number(at, change_to(&calls->high, high_of(address)));
    }
    at = kymo_encode_number(
        at, kymo_change_of((uint32_t)address, (uint32_t)(*expected != 0u ? *expected : caller)));
    *expected = address;
    return at;
}

#endif

/* Four words a turn, which no compiler makes a call of. */
static void empty(struct kymo_expected *expected) {
    typedef uint32_t __attribute__((may_alias)) word;
    _Static_assert(sizeof *expected % 16u == 0u, "four words a turn");
    volatile word *at = (volatile word *)(void *)expected;
    const volatile word *const end = at + sizeof *expected / sizeof *at;
    do {
        at[0] = 0u;
        at[1] = 0u;
        at[2] = 0u;
        at[3] = 0u;
        at += 4;
    } while (at != end);
}

void kymo_encode_begin(struct kymo_encoder *e, uint64_t time, uint32_t context) {
    empty(&e->expected);
    e->time = time;
    e->before = e->pair = 0u;
    e->object = 0u;
    e->context = context;
    e->slot[0].key = KYMO_TAG_END32;
    e->slot[0].reference = 0u;
    e->used[0] = 0u;
    e->slots = e->victim = 1u;
}

#endif
