/* What writer and reader of an EVENTS packet's bits both know of the events before (runtime/WIRE.md, "The bits").
 * Inline, as decoding an event takes little more than this. */
#ifndef HOSTLINK_BIT_MODEL_H
#define HOSTLINK_BIT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kymo/wire.h"

/* The slot that is there from the start and never replaced: ZONE_END. */
#define MODEL_SLOT_ZONE_END 1u

struct model_slot {
    uint32_t reference;
    uint8_t kind, words;
    bool used; /* again since it was defined */
};

/* Numbers that are coded by their change from the last one. */
struct model_value {
    uint32_t last, scale;
};

/* Two events in a row. */
struct model_pair {
    uint32_t last; /* ticks between them, the last time */
    uint16_t scale;
    bool by_change;    /* the next time by the change from that, which was the smaller number */
    uint8_t successor; /* slot of the event behind them, the last time; 0 = none */
};

/* Of call stacks: the address that came last inside each of others, hashed; 0: none did. */
struct model_calls {
    uint64_t last[KYMO_MODEL_CALLS];
    struct model_value high; /* word, where it is not the caller's */
    uint32_t scale_known, scale_new;
};

struct bit_model {
    uint32_t slots, pairs, values; /* sizes; the last two are powers of two */
    uint32_t defined, victim;      /* slots */
    uint32_t before;               /* slot of the last event; 0 means none */
    uint32_t at;                   /* of the last two events */
    struct model_pair pair[KYMO_MODEL_PAIRS(KYMO_MODEL_SLOTS_MAX)];
    struct model_value value[KYMO_MODEL_VALUES(KYMO_MODEL_SLOTS_MAX)];
    struct model_value reference;
    struct model_slot slot[KYMO_MODEL_SLOTS_MAX + 1];
    bool has_calls; /* which begin with the first stack of a packet */
    struct model_calls calls;
};

static inline void model_begin(struct bit_model *m, uint32_t slots) {
    memset(m, 0, offsetof(struct bit_model, calls));
    m->slots = slots;
    m->pairs = KYMO_MODEL_PAIRS(slots);
    m->values = KYMO_MODEL_VALUES(slots);
    m->defined = MODEL_SLOT_ZONE_END;
    m->victim = MODEL_SLOT_ZONE_END + 1;
    m->slot[MODEL_SLOT_ZONE_END].kind = KYMO_KIND_ZONE_END;
}

/* Position of the highest bit that is set, counted from 0; of 0 it is 0. */
static inline uint32_t model_log(uint32_t number) {
    return 31u - (uint32_t)__builtin_clz(number | 1u);
}

/* The difference modulo 2^32, small either way as a small number; and what has that difference. */
static inline uint32_t model_change(uint32_t number, uint32_t last) {
    uint32_t change = number - last;
    return change << 1 ^ (0u - (change >> 31));
}

static inline uint32_t model_changed(uint32_t change, uint32_t last) {
    return last + (change >> 1 ^ (0u - (change & 1u)));
}

/* Half of the way, rounded up: the sum is rounded towards where it goes. */
static inline uint32_t model_scale_behind(uint32_t scale, uint32_t number) {
    uint32_t log = model_log(number);
    return (scale + log + (log > scale)) / 2;
}

/* The slot of the next event, if it is the one that came here the last time; 0 = none did. */
static inline uint32_t model_guess(const struct bit_model *m) { return m->pair[m->at].successor; }

/* An event of "slot" follows: returns the pair of the last event and this. */
static inline struct model_pair *model_enter(struct bit_model *m, uint32_t slot) {
    m->pair[m->at].successor = (uint8_t)slot;
    m->at = (5 * m->before + slot) & (m->pairs - 1);
    m->before = slot;
    return &m->pair[m->at];
}

static inline struct model_value *model_value_of(struct bit_model *m, uint32_t slot,
                                                 uint32_t word) {
    return &m->value[(slot + word) & (m->values - 1)];
}

static inline void model_time_was(struct model_pair *pair, uint32_t delta) {
    uint32_t change = model_change(delta, pair->last);
    pair->last = delta;
    pair->by_change = change < delta;
    pair->scale = (uint16_t)model_scale_behind(pair->scale, change < delta ? change : delta);
}

static inline void model_value_was(struct model_value *value, uint32_t number, uint32_t change) {
    value->last = number;
    value->scale = model_scale_behind(value->scale, change);
}

static inline struct model_calls *model_calls(struct bit_model *m) {
    if (!m->has_calls) {
        m->has_calls = true;
        memset(&m->calls, 0, sizeof m->calls);
    }
    return &m->calls;
}

static inline uint32_t model_next_victim(const struct bit_model *m) {
    return m->victim == m->slots ? MODEL_SLOT_ZONE_END + 1 : m->victim + 1;
}

/* Returns the new slot. Where all are defined it replaces one that was not used since the last search came by. */
static inline uint32_t model_define(struct bit_model *m, uint8_t kind, uint32_t reference) {
    uint32_t slot = m->defined + 1;
    if (m->defined < m->slots) {
        m->defined = slot;
    } else {
        while (m->slot[m->victim].used) {
            m->slot[m->victim].used = false;
            m->victim = model_next_victim(m);
        }
        slot = m->victim;
        m->victim = model_next_victim(m);
    }
    m->slot[slot] = (struct model_slot){.kind = kind, .reference = reference};
    return slot;
}

#endif
