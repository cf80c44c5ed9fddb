/* SPDX-License-Identifier: MIT */
#include "encode.h"

#include "kymo/bytes.h"

#if KYMO_ENABLE

uint8_t *kymo_encode_number(uint8_t *at, uint32_t number) {
    return kymo_encode_number_here(at, number);
}

uint8_t *kymo_encode_ticks(struct kymo_encoder *e, uint8_t *at, size_t slot, uint32_t delta) {
    return kymo_encode_number(at, kymo_encode_time(&e->expected, slot, delta, &e->pair));
}

static uint32_t next_victim(uint32_t slot) { return slot + 1u < KYMO_WIRE_SLOTS ? slot + 1u : 1u; }

/* The oldest one that was not named since it was last passed over. The end of a zone always stays. */
static uint32_t find_victim(struct kymo_encoder *e) {
    uint32_t slot = e->victim;
    for (uint32_t spared = 0u;
         spared != KYMO_MODEL_SPARED && (e->links[slot] & KYMO_LINK_USED) != 0u; spared++) {
        e->links[slot] &= KYMO_LINK_NEXT;
        slot = next_victim(slot);
    }
    e->victim = (uint8_t)next_victim(slot);
    return slot;
}

static void leave_chain(struct kymo_encoder *e, uint32_t slot) {
    const uint32_t next = e->links[slot] & KYMO_LINK_NEXT;
    const uint32_t back = e->back[slot];
    if (back != 0u) {
        e->links[back] = (uint8_t)((e->links[back] & KYMO_LINK_USED) | next);
    } else {
        e->expected.chains[kymo_encode_chain(&e->slot[slot])] = (uint8_t)next;
    }
    e->back[next] = (uint8_t)back; /* that of slot 0 is never read */
}

static void join_chain(struct kymo_encoder *e, uint32_t slot) {
    uint8_t *const first = &e->expected.chains[kymo_encode_chain(&e->slot[slot])];
    e->links[slot] = *first;
    e->back[*first] = (uint8_t)slot;
    e->back[slot] = 0u;
    *first = (uint8_t)slot;
}

size_t kymo_encode_define(struct kymo_encoder *e, const struct kymo_slot *place) {
    uint32_t slot = e->slots;
    if (slot < KYMO_WIRE_SLOTS) {
        e->slots++;
    } else {
        slot = find_victim(e);
        leave_chain(e, slot);
    }
    e->slot[slot] = *place;
    join_chain(e, slot);
    return kymo_encode_follow(e, slot);
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
        if ((kind & KYMO_KIND_HAS_OBJECT) != 0u) {
            reference = change_to(&e->object, reference);
        } else if (!KYMO_KIND_OF_CONTEXT(kind)) {
            reference >>= 1;
        } else if ((reference & 1u) != 0u) {
            reference = KYMO_NUMBER_OF_TASK(change_to(&e->task, reference));
        }
        at = kymo_encode_number(at, reference);
    }
    if ((kind & KYMO_KIND_HAS_WORDS) != 0u) {
        *at++ = (uint8_t)words;
    }
    return at;
}

uint8_t *kymo_encode_word(struct kymo_encoder *e, uint8_t *at, size_t slot, uint32_t index,
                          uint32_t word, bool *as_it_is) {
    const uint32_t number =
        change_to(&e->expected.values[KYMO_MODEL_VALUE(KYMO_ENCODE_VALUES, slot, index)], word);
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

uint8_t *kymo_encode_words(struct kymo_encoder *e, uint8_t *at, size_t slot, const uint32_t *words,
                           uint32_t count) {
    bool as_it_is = false;
    for (uint32_t i = 0u; i < count; i++) {
        at = kymo_encode_word(e, at, slot, i, words[i], &as_it_is);
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
    e->pair = 0u;
    e->object = 0u;
    e->task = context | 1u;
    e->slot[0].key = KYMO_TAG_END32;
    e->slot[0].reference = 0u;
    e->slots = e->victim = 1u;
    e->sought = 0u;
}

#endif
