/* SPDX-License-Identifier: MIT */
#include "dump/records.h"

#include "base/bytes.h"
#include "kymo/memory.h"
#include "kymo/wire.h"

uint32_t records_word(const struct records *r, uint32_t index) {
    return bytes_u32(r->ring + 4u * (size_t)((r->at + index) & r->mask));
}

static uint32_t long_words(uint32_t header) {
    uint32_t reference = (KYMO_LONG_KIND(header) & KYMO_KIND_HAS_REF) != 0 ? 1 : 0;
    return 2 + reference + KYMO_LONG_WORDS(header);
}

uint32_t records_length(const struct records *r, uint32_t most) {
    uint32_t header = records_word(r, 0);
    uint32_t length = KYMO_CELL_WORDS;
    if ((header & KYMO_TAG_MASK) == KYMO_TAG_LONG) {
        uint32_t kind = KYMO_LONG_KIND(header);
        length = KYMO_LONG_CELLS(header) * KYMO_CELL_WORDS;
        if (kind == KYMO_LONG_FILLING || kind == KYMO_LONG_SKIP || long_words(header) > length) {
            return 0;
        }
    }
    return length <= most ? length : 0;
}

static void read_long(const struct records *r, uint32_t header, struct wire_event *event) {
    uint32_t at = 2;
    event->kind = (uint8_t)KYMO_LONG_KIND(header);
    if ((event->kind & KYMO_KIND_HAS_REF) != 0) {
        const uint32_t word = records_word(r, at++);
        event->reference =
            (event->kind & KYMO_KIND_HAS_OBJECT) != 0 ? word : records_reference(&r->sites, word);
    }
    /* The same as in EVENTS packets: a kind without payload has no words, whatever the header says. */
    event->words = (event->kind & KYMO_KIND_HAS_WORDS) != 0 ? KYMO_LONG_WORDS(header) : 0;
    for (uint32_t i = 0; i < event->words; i++) {
        event->word[i] = records_word(r, at++);
    }
}

/* The low 32 bits of the clock are within half their range of the record before. */
static uint64_t near(uint64_t before, uint32_t low) {
    return before + (uint64_t)(int64_t)(int32_t)(low - (uint32_t)before);
}

bool records_next(struct records *r, uint32_t length, struct wire_event *event) {
    static const uint8_t kinds[8] = {KYMO_KIND_ZONE_BEGIN, 0,
                                     KYMO_KIND_ZONE_END,   0,
                                     KYMO_KIND_CONTEXT,    KYMO_KIND_CONTEXT_NOW,
                                     KYMO_KIND_FRAME,      KYMO_KIND_ZONE_END};
    uint32_t header = records_word(r, 0);
    uint32_t second = records_word(r, 1);
    uint32_t tag = header & KYMO_TAG_MASK;
    bool whole = tag == KYMO_TAG_END64 || tag == KYMO_TAG_CLOCK64;
    event->kind = kinds[tag];
    event->reference = 0;
    event->words = 0;
    event->ticks = whole ? (uint64_t)second << 29 | header >> 3 : near(r->ticks, second);
    if (tag == KYMO_TAG_LONG) {
        read_long(r, header, event);
    } else if (!whole && tag != KYMO_TAG_END32) {
        event->reference = records_reference(&r->sites, header & ~KYMO_TAG_MASK);
    }
    r->ticks = event->ticks;
    r->at += length;
    return tag != KYMO_TAG_CLOCK64;
}
