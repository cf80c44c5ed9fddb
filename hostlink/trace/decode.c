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

#define LENGTH_BITS 6u

/* Eight bytes, the first one lowest. */
static uint64_t eight_bytes(const uint8_t *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/* So that at least "count" bits are there. What stands above bit_count are the bits that follow in
 * the stream, or 0: to put them there again changes nothing. */
static bool fill_bits(struct wire_decoder *m, unsigned count) {
    struct reader *r = m->reader;
    if (r->length - r->at >= 8) {
        unsigned bytes = (63 - m->bit_count) / 8;
        m->bits |= eight_bytes(r->bytes + r->at) << m->bit_count;
        r->at += bytes;
        m->bit_count += 8 * bytes;
        return true;
    }
    for (; m->bit_count < count && r->at < r->length; m->bit_count += 8) {
        m->bits |= (uint64_t)r->bytes[r->at++] << m->bit_count;
    }
    m->bad = m->bad || m->bit_count < count;
    return m->bit_count >= count;
}

/* At most 32 bits. */
static inline uint32_t get_bits(struct wire_decoder *m, unsigned count) {
    if (m->bit_count < count && !fill_bits(m, count)) {
        return 0;
    }
    uint32_t value = (uint32_t)(m->bits & ((UINT64_C(1) << count) - 1));
    m->bits >>= count;
    m->bit_count -= count;
    return value;
}

static uint32_t bit_length(uint32_t value) {
    return value == 0 ? 0 : 32u - (uint32_t)__builtin_clz(value);
}

static uint32_t get_mantissa(struct wire_decoder *m, uint32_t length) {
    if (length > 32) {
        m->bad = true;
        return 0;
    }
    return length < 2 ? length : get_bits(m, length - 1) | UINT32_C(1) << (length - 1);
}

static uint32_t get_plain(struct wire_decoder *m) {
    return get_mantissa(m, get_bits(m, LENGTH_BITS));
}

static __attribute__((noinline)) uint32_t other_length(struct wire_decoder *m, uint32_t expected) {
    if (get_bits(m, 1) != 0) {
        return expected - 1;
    }
    return get_bits(m, 1) != 0 ? expected + 1 : get_bits(m, LENGTH_BITS);
}

/* Most numbers have the length that is expected. */
static inline uint32_t get_expected(struct wire_decoder *m, uint32_t expected) {
    return get_mantissa(m, get_bits(m, 1) != 0 ? expected : other_length(m, expected));
}

static uint32_t zigzag(uint32_t change) { return change << 1 ^ (0u - (change >> 31)); }
static uint32_t unzigzag(uint32_t value) { return value >> 1 ^ (0u - (value & 1u)); }

static unsigned define_slot(struct wire_decoder *m) {
    unsigned slot = 0;
    if (m->slots < m->size) {
        slot = ++m->slots;
    } else {
        slot = ++m->victim;
        m->victim %= m->size;
    }
    struct wire_slot fresh = {.kind = (uint8_t)get_bits(m, 6)};
    if ((fresh.kind & KYMO_KIND_HAS_REF) != 0) {
        fresh.reference = get_plain(m);
    }
    m->slot[slot] = fresh;
    return slot;
}

static unsigned get_slot(struct wire_decoder *m, unsigned predicted) {
    if (predicted != 0 && get_bits(m, 1) != 0) {
        return predicted;
    }
    uint32_t index = get_bits(m, bit_length(m->slots));
    if (index > m->slots) {
        m->bad = true;
        return 0;
    }
    return index == m->slots ? define_slot(m) : index + 1;
}

static unsigned get_identity(struct wire_decoder *m) {
    unsigned successor = (m->before + 5 * m->before2) % WIRE_SUCCESSORS;
    unsigned slot = get_slot(m, m->successors[successor]);
    m->successors[successor] = (uint8_t)slot;
    m->before2 = m->before;
    m->before = slot;
    return slot;
}

static uint32_t get_delta(struct wire_decoder *m, unsigned timing_slot) {
    struct wire_slot *slot = &m->slot[timing_slot];
    uint32_t value = get_expected(m, slot->delta_bits);
    uint32_t delta = slot->by_change ? slot->last_delta + unzigzag(value) : value;
    uint32_t change = zigzag(delta - slot->last_delta);
    slot->last_delta = delta;
    slot->by_change = change < delta;
    slot->delta_bits = bit_length(slot->by_change ? change : delta);
    return delta;
}

static void get_words(struct wire_decoder *m, struct wire_slot *slot, struct wire_event *event) {
    if (get_bits(m, 1) == 0) {
        slot->words = get_bits(m, 8);
    }
    event->words = slot->words;
    for (uint32_t i = 0; i < event->words && !m->bad; i++) {
        if (i != 0) {
            event->word[i] = get_plain(m);
            continue;
        }
        uint32_t change = get_expected(m, slot->word_bits);
        slot->word_bits = bit_length(change);
        slot->last_word += unzigzag(change);
        event->word[0] = slot->last_word;
    }
}

void decode_begin(struct wire_decoder *m, struct reader *reader, const struct wire_head *head) {
    memset(m, 0, sizeof *m);
    m->reader = reader;
    m->count = head->count;
    m->ticks = head->ticks;
    m->size = head->slots;
}

bool decode_next(struct wire_decoder *m, struct wire_event *event) {
    if (m->bad || m->decoded == m->count) {
        return false;
    }
    unsigned before = m->before;
    unsigned slot = get_identity(m);
    event->kind = m->slot[slot].kind;
    event->reference = m->slot[slot].reference;
    m->ticks += get_delta(m, before);
    event->ticks = m->ticks;
    event->words = 0;
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0) {
        get_words(m, &m->slot[slot], event);
    }
    m->decoded += m->bad ? 0 : 1;
    return !m->bad;
}
