/* SPDX-License-Identifier: MIT */
/* The numbers of MEMORY.md, and nothing else: the recorder's layout in RAM and in the image. Shared
 * by the runtime and by hostlink, which reads rings out of memory images. */
#ifndef KYMO_MEMORY_H
#define KYMO_MEMORY_H

#include <stdint.h>

#define KYMO_MEMORY_VERSION 5u

/* ---- records: whole 32-bit words, an even number of them ---- */

enum kymo_tag {
    KYMO_TAG_BEGIN = 0,    /* site */
    KYMO_TAG_LONG = 1,     /* see KYMO_LONG below */
    KYMO_TAG_END64 = 2,    /* both words: time << 3 */
    KYMO_TAG_CLOCK64 = 3,  /* both words: time << 3; not an event */
    KYMO_TAG_CONTEXT = 4,  /* context */
    KYMO_TAG_RESTATED = 5, /* context, after a switch that was lost; not an event */
    KYMO_TAG_FRAME = 6,    /* site */
    KYMO_TAG_END32 = 7     /* only the tag */
};
#define KYMO_TAG_MASK 7u

/* First word of a long record: tag, kind << 3 (0: still being filled), payload words << 16, total
 * cells << 24. Then the time, the reference if the kind has one, the payload. */
#define KYMO_LONG(kind, words, cells)                                                              \
    (KYMO_TAG_LONG | (uint32_t)(kind) << 3 | (uint32_t)(words) << 16 | (uint32_t)(cells) << 24)
#define KYMO_LONG_KIND(word) ((word) >> 3 & 0xffu)
#define KYMO_LONG_WORDS(word) ((word) >> 16 & 0xffu)
#define KYMO_LONG_CELLS(word) ((word) >> 24)
#define KYMO_LONG_FILLING 0u
#define KYMO_FILLING_SHIFT 11 /* while it is filled, bits 11 and 12: how many events it will be */
#define KYMO_FILLING_EVENTS(word) ((word) >> KYMO_FILLING_SHIFT & 3u)
#define KYMO_LONG_SKIP 0xffu /* nothing up to the end of the ring */

#define KYMO_CELL_WORDS 2u
#define KYMO_CELL_BYTES 8u

/* ---- the image's description of its recorder: the constant kymo_layout ---- */

#define KYMO_LAYOUT_MAGIC 0x6c796d6bu
/* How a lane is written: which of the offsets below mean something. */
enum kymo_ring_kind { KYMO_RING_MASKED = 0, KYMO_RING_ATOMIC = 1, KYMO_RING_NEWEST = 2 };
#define KYMO_LAYOUT_NONE 0xffffu /* the offset of a field that this kind of lane has not */

struct kymo_layout {
    uint32_t magic;
    uint16_t version;
    uint16_t pointer_bytes; /* 4 or 8 */
    uint32_t ring_kind;
    uint32_t lanes;
    uint32_t ring_bytes;  /* of one lane, in kymo_rings */
    uint32_t block_bytes; /* KYMO_RING_NEWEST */
    uint32_t lane_bytes;  /* of one lane, in kymo_lanes */
    uint32_t site_bytes;  /* of one site */
    /* Offsets in a lane. */
    uint16_t write, tail; /* pointers; tail is a count of words in KYMO_RING_ATOMIC */
    uint16_t lost;        /* 4 bytes */
    uint16_t context_out; /* 4 bytes: reference of the context at the tail, exclusive-or 1 */
    uint16_t time;        /* 8 bytes: at the tail */
    uint16_t events;      /* 8 bytes: before the tail */
    uint16_t name;        /* pointer */
    /* Offsets in kymo_link. */
    uint16_t mark;    /* struct kymo_mark */
    uint16_t session; /* 4 bytes */
    uint16_t image;   /* pointer to the program's name */
    uint16_t out;     /* how the buffer of packets stands: MEMORY.md, section 5 */
    uint16_t buffer;  /* the buffer itself */
    uint16_t buffer_bytes;
    uint16_t names_in_elf;                 /* 1: the sites are in no memory */
    uint16_t dynamic_sites, dynamic_bytes; /* in kymo_dynamic: how many, and from one to the next */
};

/* ---- a block of a ring that keeps the newest (KYMO_RING_NEWEST) ---- */

#define KYMO_BLOCK_HEAD_WORDS 10u
#define KYMO_BLOCK_HEAD_BYTES (4u * KYMO_BLOCK_HEAD_WORDS)

struct kymo_block {
    uint32_t check;     /* of the words that follow: kymo_block_check() */
    uint32_t number;    /* counts the blocks of a lane from 1, see MEMORY.md */
    uint32_t run;       /* counts the starts of the board from 1 */
    uint32_t session;   /* of that run */
    uint32_t context;   /* of the lane: an address, cut to 32 bits */
    uint32_t events[2]; /* of this lane in this run before the block: low, high word */
    uint32_t time[2];   /* the clock: low, high word */
    uint32_t earlier;   /* events of this lane in the runs before, low word */
};

/* One step of a sum over words (Jenkins' one-at-a-time, a word at a time). */
static inline uint32_t kymo_sum_add(uint32_t sum, uint32_t word) {
    sum += word;
    sum += sum << 10;
    return sum ^ sum >> 6;
}

/* "words" are those after the check; "fingerprint" is of the image. Never 0, which means no block. */
static inline uint32_t kymo_block_check(uint32_t fingerprint, const uint32_t *words) {
    for (uint32_t i = 0u; i < KYMO_BLOCK_HEAD_WORDS - 1u; i++) {
        fingerprint = kymo_sum_add(fingerprint, words[i]);
    }
    return fingerprint | 1u;
}

/* ---- the mark in RAM, made by kymo_init(), in kymo_link ---- */

#define KYMO_MARK_MAGIC 0x4b4d594bu

struct kymo_mark {
    uint32_t magic;
    uint32_t unused;
    uint64_t clock_hz; /* 0 = unknown */
    const struct kymo_layout *layout;
};

#endif
