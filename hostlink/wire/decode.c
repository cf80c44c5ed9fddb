/* SPDX-License-Identifier: MIT */
#include "wire/decode.h"

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
    head->slots = KYMO_MODEL_SLOTS((uint32_t)lane >> 6);
    head->first = read_varint(r);
    head->ticks = read_varint(r);
    uint64_t context = read_varint(r);
    head->context = (uint32_t)context;
    return !r->bad && context <= UINT32_MAX;
}

static inline uint32_t get_byte(struct wire_decoder *d) {
    if (d->at == d->end) {
        d->bad = true;
        return 0;
    }
    return *d->at++;
}

static inline uint32_t get_bytes(struct wire_decoder *d, uint32_t count) {
    uint32_t number = 0;
    for (; count != 0; count--) {
        number = number << 8 | get_byte(d);
    }
    return number;
}

/* A number of more than one byte; this is the first. */
static __attribute__((noinline)) uint32_t get_long_number(struct wire_decoder *d, uint32_t first) {
    if (first < KYMO_NUMBER_THREE) {
        return KYMO_NUMBER_LEAST_TWO + (first - KYMO_NUMBER_TWO) * 0x100u + get_byte(d);
    }
    if (first < KYMO_NUMBER_FIVE) {
        return KYMO_NUMBER_LEAST_THREE + (first - KYMO_NUMBER_THREE) * 0x10000u + get_bytes(d, 2);
    }
    d->bad |= first > KYMO_NUMBER_FIVE;
    return get_bytes(d, 4);
}

static inline uint32_t get_number(struct wire_decoder *d, uint32_t first) {
    return first < KYMO_NUMBER_TWO ? first : get_long_number(d, first);
}

static uint32_t get_reference(struct wire_decoder *d, uint8_t kind) {
    const uint32_t number = get_number(d, get_byte(d));
    d->bad |= (kind & KYMO_KIND_HAS_OBJECT) == 0 && !KYMO_KIND_OF_CONTEXT(kind) &&
              number > UINT32_MAX / 2;
    return model_reference_of(&d->model, kind, number);
}

static uint32_t get_new_slot(struct wire_decoder *d, uint32_t code) {
    struct model_slot slot = {.kind = KYMO_KIND_ZONE_BEGIN};
    if (code == KYMO_CODE_NEW) {
        slot.kind = (uint8_t)get_byte(d);
        d->bad |= slot.kind == 0x00 || slot.kind == 0xff;
    }
    if ((slot.kind & KYMO_KIND_HAS_REF) != 0) {
        slot.reference = get_reference(d, slot.kind);
    }
    if ((slot.kind & KYMO_KIND_HAS_WORDS) != 0) {
        slot.count = (uint8_t)get_byte(d);
    }
    return model_define(&d->model, &slot);
}

static __attribute__((noinline)) uint32_t get_other_slot(struct wire_decoder *d, uint32_t code) {
    if (code >= KYMO_CODE_NEW_BEGIN) {
        return get_new_slot(d, code);
    }
    const uint32_t slot = code - KYMO_CODE_SLOT;
    if (slot >= d->model.defined) {
        d->bad = true;
        return MODEL_SLOT_ZONE_END;
    }
    d->model.slot[slot].used = true;
    return slot;
}

/* Reads, after the code "first", a return address inside the function that "caller" has called. */
static uint64_t get_frame(struct wire_decoder *d, struct model_calls *calls, uint64_t caller,
                          uint32_t first) {
    uint64_t *last = &calls->last[kymo_model_call((uint32_t)caller)];
    uint64_t high = caller >> 32;
    if (first == KYMO_CODE_HIGH) {
        calls->high = model_changed(get_number(d, get_byte(d)), calls->high);
        high = calls->high;
        first = get_byte(d);
    }
    const uint32_t change = get_number(d, first);
    *last = high << 32 | model_changed(change, (uint32_t)(*last != 0 ? *last : caller));
    return *last;
}

/* The frames come from the outermost one inwards. */
static void get_stack(struct wire_decoder *d, uint32_t frames, struct wire_event *event) {
    struct model_calls *calls = model_calls(&d->model);
    uint64_t address = 0;
    uint32_t high = 0, known = 0; /* known: so many more are as expected */
    if (frames > KYMO_STACK_FRAMES_MAX) {
        d->bad = true;
        return;
    }
    event->word[0] = frames;
    for (uint32_t at = frames; at != 0; at--) {
        const uint32_t code = known != 0 ? 0 : get_byte(d);
        if (code >= KYMO_CODE_FRAMES) {
            known = code - KYMO_CODE_FRAMES + 1;
            d->bad |= known > at;
        }
        if (known != 0) {
            known--;
            address = calls->last[kymo_model_call((uint32_t)address)];
        } else {
            address = get_frame(d, calls, address, code);
        }
        event->word[at] = (uint32_t)address;
        event->word[frames + at] = (uint32_t)(address >> 32);
        high |= event->word[frames + at];
    }
    event->words = 1 + (high != 0 ? 2 * frames : frames);
}

static uint32_t get_plain_word(struct wire_decoder *d) {
    return __builtin_bswap32(get_bytes(d, 4));
}

static __attribute__((noinline)) void get_words(struct wire_decoder *d, uint32_t slot,
                                                struct wire_event *event) {
    const uint32_t count = d->model.slot[slot].count;
    bool plain = false; /* this word and all later ones come as they are */
    if (event->kind == KYMO_KIND_CALLSTACK) {
        get_stack(d, count, event);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *value = model_value_of(&d->model, slot, i);
        const uint32_t first = plain ? 0 : get_byte(d);
        plain = plain || first == KYMO_CODE_WORDS;
        *value = plain ? get_plain_word(d) : model_changed(get_number(d, first), *value);
        event->word[i] = *value;
    }
    event->words = count;
}

void decode_begin(struct wire_decoder *d, struct reader *reader, const struct wire_head *head) {
    d->decoded = 0;
    d->reader = reader;
    d->count = head->count;
    d->ticks = head->ticks;
    d->at = reader->bytes + reader->at;
    d->end = reader->bytes + reader->length;
    d->bad = false;
    model_begin(&d->model, head->slots, head->context);
}

bool decode_next(struct wire_decoder *d, struct wire_event *event) {
    if (d->decoded == d->count) {
        d->reader->at = (size_t)(d->at - d->reader->bytes);
        return false;
    }
    uint32_t slot = model_expected(&d->model);
    uint32_t first = get_byte(d);
    if (first >= KYMO_CODE_SLOT) {
        slot = get_other_slot(d, first);
        first = get_byte(d);
    }
    const struct model_slot *known = &d->model.slot[slot];
    struct model_pair *pair = model_enter(&d->model, slot);
    const uint32_t number = get_number(d, first);
    const uint32_t delta = pair->by_change ? model_changed(number, pair->last) : number;
    model_time_was(pair, delta);
    d->ticks += delta;
    event->kind = known->kind;
    event->reference = known->reference;
    event->ticks = d->ticks;
    event->words = 0;
    if ((known->kind & KYMO_KIND_HAS_WORDS) != 0) {
        get_words(d, slot, event);
    }
    if (d->bad) {
        d->count = d->decoded;
        d->reader->at = (size_t)(d->at - d->reader->bytes);
        return false;
    }
    d->decoded++;
    return true;
}
