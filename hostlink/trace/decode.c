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

/* Eight bytes, the first one lowest. */
static uint64_t eight_bytes(const uint8_t *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/* So many bits are there after fill_bits(), or all that are left; behind those come zeros. */
#define FILLED_BITS 56

static __attribute__((noinline)) void last_bits(struct wire_decoder *d) {
    struct reader *r = d->reader;
    for (; d->bit_count < FILLED_BITS && r->at < r->length; d->bit_count += 8) {
        d->bits |= (uint64_t)r->bytes[r->at++] << d->bit_count;
    }
}

/* What stands above bit_count are the bits that follow in the stream, or 0: to put them there again changes
 * nothing. */
static inline void fill_bits(struct wire_decoder *d) {
    struct reader *r = d->reader;
    if (r->length - r->at < 8) {
        last_bits(d);
        return;
    }
    unsigned bytes = (63u - (unsigned)d->bit_count) / 8;
    d->bits |= eight_bytes(r->bytes + r->at) << d->bit_count;
    r->at += bytes;
    d->bit_count += (int)(8 * bytes);
}

static inline void skip_bits(struct wire_decoder *d, uint32_t count) {
    d->bits >>= count;
    d->bit_count -= (int)count;
}

static inline uint64_t get_bits(struct wire_decoder *d, uint32_t count) {
    uint64_t value = d->bits & ((UINT64_C(1) << count) - 1);
    skip_bits(d, count);
    return value;
}

/* So many zeros and a one, or "most" zeros. */
static inline uint32_t get_zeros(struct wire_decoder *d, uint32_t most) {
    uint32_t zeros = (uint32_t)__builtin_ctzll(d->bits | UINT64_C(1) << most);
    skip_bits(d, zeros + (zeros < most));
    return zeros;
}

static inline uint32_t get_class(struct wire_decoder *d) { return get_zeros(d, KYMO_CLASS_LONG); }

#define LOG_BITS 5u

/* With its class at most 42 bits. */
static inline uint32_t get_number(struct wire_decoder *d, uint32_t class, uint32_t scale) {
    if (class == KYMO_CLASS_LONG) {
        uint32_t log = (uint32_t)get_bits(d, LOG_BITS);
        return UINT32_C(1) << log | (uint32_t)get_bits(d, log);
    }
    uint64_t least_of_class = ((UINT64_C(1) << class) - 1) << scale;
    uint64_t number = least_of_class + get_bits(d, class + scale);
    d->bad = d->bad || number > UINT32_MAX;
    return (uint32_t)number;
}

static uint32_t get_value(struct wire_decoder *d, struct model_value *value) {
    uint32_t class = get_class(d);
    uint32_t change = get_number(d, class, value->scale);
    uint32_t number = model_changed(change, value->last);
    model_value_was(value, number, change);
    return number;
}

#define KIND_BITS 8u

static uint32_t get_new_slot(struct wire_decoder *d) {
    uint8_t kind = KYMO_KIND_ZONE_BEGIN;
    uint32_t reference = 0;
    if (get_bits(d, 1) == 0) {
        kind = (uint8_t)get_bits(d, KIND_BITS);
    }
    if ((kind & KYMO_KIND_HAS_REF) != 0) {
        reference = get_value(d, &d->model.reference);
    }
    return model_define(&d->model, kind, reference);
}

/* Of an event that is not the one that was expected. */
static __attribute__((noinline)) uint32_t get_other_slot(struct wire_decoder *d, uint32_t *class) {
    struct bit_model *m = &d->model;
    uint32_t slot = 0;
    if (get_bits(d, 1) == 0) {
        slot = get_new_slot(d);
        fill_bits(d);
    } else {
        uint32_t last = m->defined - 1;
        slot = (uint32_t)get_bits(d, last == 0 ? 0 : model_log(last) + 1) + 1;
        if (slot > m->defined) {
            d->bad = true;
            slot = 0;
        }
        m->slot[slot].used = true;
    }
    *class = get_class(d);
    return slot;
}

/* With the class of its time. */
static inline uint32_t get_slot(struct wire_decoder *d, uint32_t *class) {
    uint32_t expected = *model_successor(&d->model);
    if (expected == 0) {
        return get_other_slot(d, class);
    }
    if (get_bits(d, 1) != 0) {
        *class = 0;
    } else if (get_bits(d, 1) != 0) {
        *class = 1 + get_zeros(d, KYMO_CLASS_LONG - 1);
    } else {
        return get_other_slot(d, class);
    }
    d->model.slot[expected].used = true;
    return expected;
}

static inline uint32_t get_delta(struct wire_decoder *d, struct model_time *time, uint32_t class) {
    uint32_t number = get_number(d, class, time->scale);
    uint32_t delta = time->by_change ? model_changed(number, time->last) : number;
    model_time_was(time, delta);
    return delta;
}

#define WORDS_BITS 8u

static void get_words(struct wire_decoder *d, uint32_t slot, struct wire_event *event) {
    uint8_t *words = &d->model.slot[slot].words;
    fill_bits(d);
    if (get_bits(d, 1) == 0) {
        *words = (uint8_t)get_bits(d, WORDS_BITS);
    }
    event->words = *words;
    for (uint32_t i = 0; i < event->words; i++) {
        event->word[i] = get_value(d, model_value_of(&d->model, slot, i));
        fill_bits(d);
    }
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
    fill_bits(d);
}

/* A slot with the class of a time and that time take at most 51 bits, a new slot 54, the number of words with
 * the first word 51. Before each of them fill_bits() is called. */
bool decode_next(struct wire_decoder *d, struct wire_event *event) {
    if (d->bad || d->decoded == d->count) {
        return false;
    }
    uint32_t class = 0;
    uint32_t slot = get_slot(d, &class);
    d->ticks += get_delta(d, model_time_of(&d->model, slot), class);
    model_enter(&d->model, slot);
    event->kind = d->model.slot[slot].kind;
    event->reference = d->model.slot[slot].reference;
    event->ticks = d->ticks;
    event->words = 0;
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0) {
        get_words(d, slot, event);
    }
    fill_bits(d);
    d->bad = d->bad || d->bit_count < 0;
    d->decoded += d->bad ? 0 : 1;
    return !d->bad;
}
