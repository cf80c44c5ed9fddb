#include "wire/decode.h"

#include <string.h>

#include "kymo/memory.h"
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

/* ---- the body of a RAW packet ---- */

static struct records records_of(const struct reader *r, const struct wire_head *head) {
    return (struct records){
        .sites = head->sites, .ring = r->bytes + r->at, .mask = UINT32_MAX, .ticks = head->ticks};
}

static uint32_t words_left(const struct reader *r, const struct records *records) {
    return (uint32_t)(r->length - r->at) / 4 - records->at;
}

/* False: there is no more, or the rest is no records. */
static bool next_record(const struct reader *r, struct records *records, struct wire_event *event) {
    for (;;) {
        const uint32_t left = words_left(r, records);
        const uint32_t length = left < KYMO_CELL_WORDS ? 0 : records_length(records, left);
        if (length == 0) {
            return false;
        }
        if (records_next(records, length, event)) {
            return true;
        }
    }
}

/* One more than there are where the rest is no records: so a packet that is malformed has more than come. */
static uint32_t count_records(const struct reader *r, const struct wire_head *head) {
    struct records records = records_of(r, head);
    struct wire_event event;
    uint32_t count = 0;
    while (next_record(r, &records, &event)) {
        count++;
    }
    return count + (words_left(r, &records) != 0);
}

static bool decode_raw_head(struct reader *r, struct wire_head *head) {
    head->slots = 0;
    head->lane = read_u8(r) & 0x3fu;
    head->sites = (struct records_sites){.site_bytes = read_u8(r)};
    const size_t words = read_u8(r) | (size_t)read_u8(r) << 8;
    (void)read_u32(r); /* the sum, which unpack.c has looked at */
    head->sites.at = read_u32(r);
    const uint64_t bytes = (uint64_t)read_u32(r) * head->sites.site_bytes;
    head->sites.bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    head->first = read_u64(r);
    head->ticks = read_u64(r);
    head->context = read_u32(r);
    if (r->bad || r->length - r->at != 4 * words) {
        return false;
    }
    head->count = count_records(r, head);
    return true;
}

/* ---- that of an EVENTS packet ---- */

bool decode_head(struct reader *r, struct wire_head *head) {
    if ((r->bytes[0] & KYMO_WIRE_TYPE_MASK) == KYMO_PACKET_RAW) {
        return decode_raw_head(r, head);
    }
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
static inline uint64_t eight_bytes(const uint8_t *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/* So many bits are there at any place but at the end, behind which come zeros. */
#define FILLED_BITS 57

static __attribute__((noinline)) uint64_t last_bits(const struct wire_decoder *d, uint64_t at) {
    const uint8_t *bytes = d->reader->bytes;
    uint64_t bits = 0;
    size_t from = (size_t)(at / 8);
    for (unsigned shift = 0; shift < 64 && from < d->reader->length; shift += 8) {
        bits |= (uint64_t)bytes[from++] << shift;
    }
    return bits >> (at % 8);
}

static inline uint64_t bits_at(const struct wire_decoder *d, uint64_t at) {
    return at < d->last_eight ? eight_bytes(d->reader->bytes + at / 8) >> (at % 8)
                              : last_bits(d, at);
}

/* Goes before a part that takes at most FILLED_BITS. */
static inline void fill_bits(struct wire_decoder *d) { d->bits = bits_at(d, d->at); }

static inline uint64_t low_bits(uint64_t bits, uint32_t count) {
    return bits & ((UINT64_C(1) << count) - 1);
}

static inline void skip_bits(struct wire_decoder *d, uint32_t count) {
    d->bits >>= count;
    d->at += count;
}

static inline uint32_t get_bits(struct wire_decoder *d, uint32_t count) {
    uint32_t value = (uint32_t)low_bits(d->bits, count);
    skip_bits(d, count);
    return value;
}

#define LOG_BITS 5u
#define NUMBER_BITS (KYMO_CLASS_LONG + LOG_BITS + 31u) /* at most */

/* The number at the lowest of "bits", and in *count how many it takes. Above UINT32_MAX: it is none. */
static inline uint64_t number_of(uint64_t bits, uint32_t scale, uint32_t *count) {
    uint32_t class = (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << KYMO_CLASS_LONG);
    if (class == KYMO_CLASS_LONG) {
        const uint32_t log = (uint32_t)low_bits(bits >> KYMO_CLASS_LONG, LOG_BITS);
        *count = KYMO_CLASS_LONG + LOG_BITS + log;
        return UINT64_C(1) << log | low_bits(bits >> (KYMO_CLASS_LONG + LOG_BITS), log);
    }
    const uint64_t beyond = UINT64_C(1) << (class + scale);
    *count = 2 * class + 1 + scale;
    return (bits >> (class + 1) & (beyond - 1)) + beyond - (UINT64_C(1) << scale);
}

static inline uint32_t get_number(struct wire_decoder *d, uint32_t scale) {
    uint32_t count;
    const uint64_t number = number_of(d->bits, scale, &count);
    skip_bits(d, count);
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
#define NEW_SLOT_BITS (2u + KIND_BITS + NUMBER_BITS)
_Static_assert(NEW_SLOT_BITS <= FILLED_BITS, "the longest part is read at once");

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

/* A return address inside the function that "caller" has called. */
static uint64_t get_frame(struct wire_decoder *d, struct model_calls *calls, uint64_t caller) {
    uint64_t *last = &calls->last[kymo_model_call((uint32_t)caller)];
    fill_bits(d);
    if (get_bits(d, 1) != 0) {
        return *last;
    }
    uint64_t high = caller >> 32;
    if (get_bits(d, 1) == 0) {
        fill_bits(d);
        high = get_value(d, &calls->high);
    }
    fill_bits(d);
    uint32_t *scale = *last != 0 ? &calls->scale_known : &calls->scale_new;
    const uint32_t change = get_number(d, *scale);
    const uint64_t near = *last != 0 ? *last : caller;
    *scale = model_scale_behind(*scale, change);
    *last = high << 32 | model_changed(change, (uint32_t)near);
    return *last;
}

/* The frames come from the outermost one inwards. */
static void get_stack(struct wire_decoder *d, uint32_t frames, struct wire_event *event) {
    struct model_calls *calls = model_calls(&d->model);
    uint64_t address = 0;
    uint32_t high = 0;
    if (frames > KYMO_STACK_FRAMES_MAX) {
        d->bad = true;
        event->words = 0;
        return;
    }
    event->word[0] = frames;
    for (uint32_t at = frames; at != 0; at--) {
        address = get_frame(d, calls, address);
        event->word[at] = (uint32_t)address;
        event->word[frames + at] = (uint32_t)(address >> 32);
        high |= event->word[frames + at];
    }
    event->words = 1 + (high != 0 ? 2 * frames : frames);
}

static __attribute__((noinline)) void get_words(struct wire_decoder *d, uint32_t slot,
                                                struct wire_event *event) {
    uint8_t *words = &d->model.slot[slot].words;
    fill_bits(d);
    if (get_bits(d, 1) == 0) {
        *words = (uint8_t)get_bits(d, WORDS_BITS);
    }
    event->words = *words;
    if (event->kind == KYMO_KIND_CALLSTACK) {
        get_stack(d, *words, event);
        return;
    }
    for (uint32_t i = 0; i < event->words; i++) {
        fill_bits(d);
        event->word[i] = get_value(d, model_value_of(&d->model, slot, i));
    }
}

/* Behind the slot, at the bits of the time. */
static inline __attribute__((always_inline)) bool get_rest(struct wire_decoder *d,
                                                           struct wire_event *event, uint32_t slot,
                                                           uint64_t bits, uint64_t at) {
    const struct model_slot *known = &d->model.slot[slot];
    struct model_pair *pair = model_enter(&d->model, slot);
    uint32_t count;
    const uint64_t number = number_of(bits, pair->scale, &count);
    const uint32_t delta =
        pair->by_change ? model_changed((uint32_t)number, pair->last) : (uint32_t)number;
    model_time_was(pair, delta);
    d->at = at + count;
    d->ticks += delta;
    event->kind = known->kind;
    event->reference = known->reference;
    event->ticks = d->ticks;
    event->words = 0;
    if ((known->kind & KYMO_KIND_HAS_WORDS) != 0) {
        get_words(d, slot, event);
    }
    if (number > UINT32_MAX || d->bad || d->at > d->end) {
        d->count = d->decoded;
        return false;
    }
    d->decoded++;
    return true;
}

static __attribute__((noinline)) bool next_not_guessed(struct wire_decoder *d,
                                                       struct wire_event *event) {
    fill_bits(d);
    uint32_t slot = get_bits(d, 1) != 0 ? get_defined_slot(d) : get_new_slot(d);
    fill_bits(d);
    return get_rest(d, event, slot, d->bits, d->at);
}

void decode_begin(struct wire_decoder *d, struct reader *reader, const struct wire_head *head) {
    d->decoded = 0;
    d->reader = reader;
    d->count = head->count;
    d->ticks = head->ticks;
    d->at = 8 * (uint64_t)reader->at;
    d->end = 8 * (uint64_t)reader->length;
    d->last_eight = reader->length < 8 ? 0 : d->end - 56;
    d->bad = false;
    if (head->slots == 0) {
        d->model.slots = 0;
        d->records = records_of(reader, head);
        return;
    }
    model_begin(&d->model, head->slots);
}

/* The reader stands behind the events. */
static void end_events(const struct wire_decoder *d) {
    const size_t at = (size_t)((d->at + 7) / 8);
    d->reader->at = at < d->reader->length ? at : d->reader->length;
}

bool decode_next(struct wire_decoder *d, struct wire_event *event) {
    if (d->model.slots == 0) {
        const bool is_event = next_record(d->reader, &d->records, event);
        d->decoded += is_event;
        return is_event;
    }
    const uint32_t guess = model_guess(&d->model);
    if (d->decoded == d->count) {
        end_events(d);
        return false;
    }
    if (guess == 0) {
        return next_not_guessed(d, event);
    }
    uint64_t bits = bits_at(d, d->at);
    uint64_t at = d->at;
    if ((bits & 3) == 0) {
        d->at += 2;
        return next_not_guessed(d, event);
    }
    /* Behind a 0 stands a 1 for the guess; without it the time's number is like any other. */
    if ((bits & 1) == 0) {
        bits = bits >> 1 ^ 1;
        at++;
    }
    d->model.slot[guess].used = true;
    return get_rest(d, event, guess, bits, at);
}
