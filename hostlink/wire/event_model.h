/* SPDX-License-Identifier: MIT */
/* The state that writer and reader of an EVENTS packet share about earlier events (runtime/WIRE.md, "The bytes").
 * Inline, as decoding an event takes little more than this. */
#ifndef HOSTLINK_EVENT_MODEL_H
#define HOSTLINK_EVENT_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kymo/wire.h"

/* The slot that is there from the start and never replaced: ZONE_END. */
#define MODEL_SLOT_ZONE_END 0u

struct model_slot {
    uint32_t reference;
    uint8_t kind, count; /* of payload words, or of frames */
    bool used;           /* named since it was defined, or since a search for a victim came by */
};

/* Two events in a row. */
struct model_pair {
    uint32_t last;  /* low bits of the ticks between them, the last time */
    uint8_t next;   /* slot of the event after them, the last time */
    bool by_change; /* the next time is the change from "last", which was the smaller number */
};

/* Call stacks: for each return address, hashed, the last one that came inside it; 0: none yet. */
struct model_calls {
    uint64_t last[KYMO_MODEL_CALLS];
    uint32_t high; /* word, where it is not the caller's */
};

struct event_model {
    uint32_t slots, pairs, values; /* sizes; the last two are powers of two */
    uint32_t defined, victim;      /* slots */
    uint32_t at;                   /* the pair of the last two events */
    uint32_t object, task;         /* references that new slots are near to */
    struct model_pair pair[KYMO_MODEL_PAIRS(KYMO_MODEL_SLOTS_MAX)];
    uint32_t value[KYMO_MODEL_VALUES(KYMO_MODEL_SLOTS_MAX)];
    struct model_slot slot[KYMO_MODEL_SLOTS_MAX]; /* as many as are defined */
    bool has_calls;                               /* which begin with the first stack of a packet */
    struct model_calls calls;
};

static inline void model_begin(struct event_model *m, uint32_t slots, uint32_t context) {
    m->slots = slots;
    m->pairs = KYMO_MODEL_PAIRS(slots);
    m->values = KYMO_MODEL_VALUES(slots);
    m->defined = m->victim = 1;
    m->at = 0;
    m->object = 0;
    m->task = context | 1;
    memset(m->pair, 0, m->pairs * sizeof m->pair[0]);
    memset(m->value, 0, m->values * sizeof m->value[0]);
    m->slot[MODEL_SLOT_ZONE_END] = (struct model_slot){.kind = KYMO_KIND_ZONE_END};
    m->has_calls = false;
}

/* The difference modulo 2^32, small either way as a small number; and the number that has that difference. */
static inline uint32_t model_change(uint32_t number, uint32_t last) {
    uint32_t change = number - last;
    return change << 1 ^ (0u - (change >> 31));
}

static inline uint32_t model_changed(uint32_t change, uint32_t last) {
    return last + (change >> 1 ^ (0u - (change & 1u)));
}

/* The slot of the next event, if it is the one that came here the last time. */
static inline uint32_t model_expected(const struct event_model *m) { return m->pair[m->at].next; }

/* An event of "slot" follows: returns the pair of the last event and this. */
static inline struct model_pair *model_enter(struct event_model *m, uint32_t slot) {
    m->pair[m->at].next = (uint8_t)slot;
    m->at = KYMO_MODEL_PAIR(m->pairs, m->at, slot);
    return &m->pair[m->at];
}

static inline uint32_t *model_value_of(struct event_model *m, uint32_t slot, uint32_t word) {
    return &m->value[KYMO_MODEL_VALUE(m->values, slot, word)];
}

static inline void model_time_was(struct model_pair *pair, uint32_t delta) {
    pair->by_change = model_change(delta, pair->last) < delta;
    pair->last = KYMO_MODEL_TICKS(delta);
}

static inline struct model_calls *model_calls(struct event_model *m) {
    if (!m->has_calls) {
        m->has_calls = true;
        memset(&m->calls, 0, sizeof m->calls);
    }
    return &m->calls;
}

/* The reference of a new slot as a number, and from it. An object's and a task's are near to the last one. */
static inline uint32_t model_number_of(struct event_model *m, uint8_t kind, uint32_t reference) {
    const bool is_object = (kind & KYMO_KIND_HAS_OBJECT) != 0;
    uint32_t *last = is_object ? &m->object : &m->task;
    if (!is_object && (!KYMO_KIND_OF_CONTEXT(kind) || reference % 2 == 0)) {
        return KYMO_KIND_OF_CONTEXT(kind) ? reference : reference / 2;
    }
    const uint32_t change = model_change(reference, *last);
    *last = reference;
    return is_object ? change : KYMO_NUMBER_OF_TASK(change);
}

static inline uint32_t model_reference_of(struct event_model *m, uint8_t kind, uint32_t number) {
    const bool is_object = (kind & KYMO_KIND_HAS_OBJECT) != 0;
    uint32_t *last = is_object ? &m->object : &m->task;
    if (!is_object && (!KYMO_KIND_OF_CONTEXT(kind) || number % 2 == 0)) {
        return KYMO_KIND_OF_CONTEXT(kind) ? number : number * 2;
    }
    *last = model_changed(is_object ? number : KYMO_CHANGE_OF_TASK(number), *last);
    return *last;
}

static inline uint32_t model_next_victim(const struct event_model *m) {
    return m->victim == m->slots - 1 ? MODEL_SLOT_ZONE_END + 1 : m->victim + 1;
}

/* Returns the new slot. Where all are defined it replaces one that was not used since the last search came by, if there
 * is one near. */
static inline uint32_t model_define(struct event_model *m, const struct model_slot *new_slot) {
    uint32_t slot = m->defined;
    if (slot < m->slots) {
        m->defined++;
    } else {
        for (uint32_t spared = 0; spared != KYMO_MODEL_SPARED && m->slot[m->victim].used;
             spared++) {
            m->slot[m->victim].used = false;
            m->victim = model_next_victim(m);
        }
        slot = m->victim;
        m->victim = model_next_victim(m);
    }
    m->slot[slot] = *new_slot;
    return slot;
}

#endif
