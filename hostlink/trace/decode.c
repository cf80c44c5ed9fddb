#include "trace/decode.h"

#include <string.h>

#include "kymo/wire.h"

uint8_t read_u8(struct reader *r) {
    if (r->at >= r->length) {
        r->bad = true;
        return 0;
    }
    return r->bytes[r->at++];
}

uint32_t read_u32(struct reader *r) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++) {
        value |= (uint32_t)read_u8(r) << (8 * i);
    }
    return value;
}

uint64_t read_u64(struct reader *r) {
    uint64_t low = read_u32(r);
    return low | (uint64_t)read_u32(r) << 32;
}

uint64_t read_varint(struct reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = read_u8(r);
        value |= (uint64_t)(byte & 0x7fu) << shift;
        if ((byte & 0x80u) == 0) {
            return value;
        }
    }
    r->bad = true;
    return 0;
}

const char *read_string(struct reader *r, size_t *length) {
    uint64_t count = read_varint(r);
    if (r->bad || count > r->length - r->at) {
        r->bad = true;
        *length = 0;
        return "";
    }
    const char *text = (const char *)r->bytes + r->at;
    r->at += (size_t)count;
    *length = (size_t)count;
    return text;
}

#define COUNT_BYTES 2u

/* Takes the count off the end of the body. */
static uint32_t take_count(struct reader *r) {
    if (r->length - r->at < COUNT_BYTES) {
        r->bad = true;
        return 0;
    }
    r->length -= COUNT_BYTES;
    return r->bytes[r->length] | (uint32_t)r->bytes[r->length + 1] << 8;
}

bool decode_head(struct reader *r, struct wire_head *head) {
    head->count = take_count(r);
    uint8_t lane = read_u8(r);
    head->lane = lane & 0x3fu;
    head->slots = 8u << (lane >> 6);
    head->first = read_varint(r);
    head->ticks = read_varint(r);
    uint64_t context = read_varint(r);
    head->context = (uint32_t)context;
    return !r->bad && context <= UINT32_MAX;
}

/* After fill_bits() so many bits are there, or all that are left; behind those come zeros. */
#define FILLED_BITS 56

static __attribute__((noinline)) void last_bits(struct wire_decoder *d) {
    struct reader *r = d->reader;
    for (; d->bit_count < FILLED_BITS && r->at < r->length; d->bit_count += 8) {
        d->bits |= (uint64_t)r->bytes[r->at++] << d->bit_count;
    }
}

/* Eight bytes, the first one lowest. */
static inline uint64_t eight_bytes(const uint8_t *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/* For a part that takes at most "count" bits. What stands above bit_count are the bits that follow in the stream,
 * or 0: to put them there again changes nothing. */
static inline void fill_bits(struct wire_decoder *d, int count) {
    struct reader *r = d->reader;
    if (d->bit_count >= count) {
        return;
    }
    if (r->length - r->at < 8) {
        last_bits(d);
        return;
    }
    unsigned bytes = (63u - (unsigned)d->bit_count) / 8;
    d->bits |= eight_bytes(r->bytes + r->at) << d->bit_count;
    r->at += bytes;
    d->bit_count += (int)(8 * bytes);
}

static inline uint64_t low_bits(uint64_t bits, uint32_t count) {
    return bits & ((UINT64_C(1) << count) - 1);
}

static inline void skip_bits(struct wire_decoder *d, uint32_t count) {
    d->bits >>= count;
    d->bit_count -= (int)count;
}

static inline uint32_t get_bits(struct wire_decoder *d, uint32_t count) {
    uint32_t value = (uint32_t)low_bits(d->bits, count);
    skip_bits(d, count);
    return value;
}

#define LOG_BITS 5u
#define NUMBER_BITS ((int)(KYMO_CLASS_LONG + LOG_BITS + 31u)) /* at most */

static inline uint32_t get_number(struct wire_decoder *d, uint32_t scale) {
    uint32_t class = (uint32_t)__builtin_ctzll(d->bits | UINT64_C(1) << KYMO_CLASS_LONG);
    if (class == KYMO_CLASS_LONG) {
        skip_bits(d, KYMO_CLASS_LONG);
        uint32_t log = get_bits(d, LOG_BITS);
        return UINT32_C(1) << log | get_bits(d, log);
    }
    uint64_t least = ((UINT64_C(1) << class) - 1) << scale;
    uint64_t number = least + low_bits(d->bits >> (class + 1), class + scale);
    skip_bits(d, class + 1 + class + scale);
    d->bad |= number > UINT32_MAX;
    return (uint32_t)number;
}

/* A number that is coded by its change. */
static uint32_t get_value(struct wire_decoder *d, struct model_value *value) {
    uint32_t change = get_number(d, value->scale);
    uint32_t number = model_changed(change, value->last);
    model_value_was(value, number, change);
    return number;
}

#define KIND_BITS 8u
/* It is a new one, its kind is another than ZONE_BEGIN. */
#define NEW_SLOT_BITS ((int)(2u + KIND_BITS) + NUMBER_BITS)

static uint32_t get_new_slot(struct wire_decoder *d) {
    uint32_t kind = KYMO_KIND_ZONE_BEGIN;
    uint32_t reference = 0;
    if (get_bits(d, 1) == 0) {
        kind = get_bits(d, KIND_BITS);
    }
    if ((kind & KYMO_KIND_HAS_REF) != 0) {
        reference = get_value(d, &d->model.reference);
    }
    return model_define(&d->model, (uint8_t)kind, reference);
}

static uint32_t get_defined_slot(struct wire_decoder *d) {
    struct bit_model *m = &d->model;
    uint32_t last = m->defined - 1;
    uint32_t slot = get_bits(d, last == 0 ? 0 : model_log(last) + 1) + 1;
    if (slot > m->defined) {
        d->bad = true;
        return 0;
    }
    m->slot[slot].used = true;
    return slot;
}

#define WORDS_BITS 8u

static __attribute__((noinline)) void get_words(struct wire_decoder *d, uint32_t slot,
                                                struct wire_event *event) {
    uint8_t *words = &d->model.slot[slot].words;
    fill_bits(d, 1 + (int)WORDS_BITS);
    if (get_bits(d, 1) == 0) {
        *words = (uint8_t)get_bits(d, WORDS_BITS);
    }
    event->words = *words;
    for (uint32_t i = 0; i < event->words; i++) {
        fill_bits(d, NUMBER_BITS);
        event->word[i] = get_value(d, model_value_of(&d->model, slot, i));
    }
}

/* Of a guess that is right, and the time. */
#define GUESSED_BITS (1 + NUMBER_BITS)

/* Behind the slot. */
static inline bool get_rest(struct wire_decoder *d, struct wire_event *event, uint32_t slot) {
    const struct model_slot *known = &d->model.slot[slot];
    struct model_pair *pair = model_enter(&d->model, slot);
    uint32_t number = get_number(d, pair->scale);
    uint32_t delta = pair->by_change ? model_changed(number, pair->last) : number;
    model_time_was(pair, delta);
    d->ticks += delta;
    event->kind = known->kind;
    event->reference = known->reference;
    event->ticks = d->ticks;
    event->words = 0;
    if ((known->kind & KYMO_KIND_HAS_WORDS) != 0) {
        get_words(d, slot, event);
    }
    if (d->bad || d->bit_count < 0) {
        d->count = d->decoded;
        return false;
    }
    d->decoded++;
    fill_bits(d, GUESSED_BITS);
    return true;
}

static __attribute__((noinline)) bool next_not_guessed(struct wire_decoder *d,
                                                       struct wire_event *event) {
    fill_bits(d, NEW_SLOT_BITS);
    uint32_t slot = get_bits(d, 1) != 0 ? get_defined_slot(d) : get_new_slot(d);
    fill_bits(d, NUMBER_BITS);
    return get_rest(d, event, slot);
}

void decode_begin(struct wire_decoder *d, struct reader *reader, const struct wire_head *head) {
    d->decoded = 0;
    d->reader = reader;
    d->count = head->count;
    d->ticks = head->ticks;
    d->bits = 0;
    d->bit_count = 0;
    d->bad = false;
    model_begin(&d->model, head->slots);
    fill_bits(d, GUESSED_BITS);
}

bool decode_next(struct wire_decoder *d, struct wire_event *event) {
    const uint32_t guess = model_guess(&d->model);
    if (d->decoded == d->count) {
        return false;
    }
    if (guess == 0) {
        return next_not_guessed(d, event);
    }
    if ((d->bits & 3) == 0) {
        skip_bits(d, 2);
        return next_not_guessed(d, event);
    }
    /* Behind a 0 stands a 1 for the guess; without it the time's number is like any other. */
    if ((d->bits & 1) == 0) {
        skip_bits(d, 1);
        d->bits ^= 1;
    }
    d->model.slot[guess].used = true;
    return get_rest(d, event, guess);
}
