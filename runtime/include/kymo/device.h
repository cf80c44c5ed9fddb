/* SPDX-License-Identifier: MIT */
/* The writer of a device block (runtime/DEVICE.md): for a core or an engine that has no kymo, such as the small
 * cores of an accelerator. It needs no library and no atomics, only that one context writes to a block. Before you
 * include it, define KYMO_DEVICE_CLOCK(), which reads the low 32 bits of the device's clock. A record takes 8 bytes and
 * at most 12 instructions on a 32-bit core, 17 on a 64-bit one; a value takes two records. */
#ifndef KYMO_DEVICE_H
#define KYMO_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#define KYMO_DEVICE_MAGIC 0x64796d6bu
#define KYMO_DEVICE_VERSION 1u

/* Bits 2..0 of the second word of a record; the comments describe the bits above. */
enum kymo_device_kind {
    KYMO_DEVICE_BEGIN = 0,  /* site of a zone */
    KYMO_DEVICE_END = 1,    /* 0 */
    KYMO_DEVICE_EVENT = 2,  /* site */
    KYMO_DEVICE_VALUE = 3,  /* site; KYMO_DEVICE_DATA follows */
    KYMO_DEVICE_RUN = 4,    /* number of the operation that the zones from here on belong to */
    KYMO_DEVICE_QUEUED = 5, /* 0: the time when the next zone was submitted */
    KYMO_DEVICE_DATA = 6    /* bits 60..32 of the value, whose low word is the first word */
};

/* All 64 bytes before the ring. The writer writes all fields but the last two. */
struct kymo_device_block {
    volatile uint32_t magic, version;
    volatile uint32_t capacity; /* bytes of the ring: a multiple of 8, 64 or more */
    volatile uint32_t starts;   /* counts the starts of the writer, from 1 */
    volatile uint32_t self;     /* low word of the ring's address, as the writer sees it */
    volatile uint32_t at;       /* and of that of the next record: stored after the record */
    volatile int32_t room; /* bytes up to "end", without those promised to the ends of open zones */
    volatile uint32_t end; /* up to here, from "self" on, the writer may write */
    volatile uint32_t wrapped; /* here the ring ended when the writer went back to its start */
    volatile uint32_t refused; /* zones, events and values for which there was no room */
    volatile uint32_t reserved[4];
    volatile uint32_t read;    /* the reader has taken all before, from "self" on */
    volatile uint32_t read_of; /* of this start */
};

/* Orders a record before "at". */
#define KYMO_DEVICE_FENCE() __atomic_thread_fence(__ATOMIC_RELEASE)

/* Starts a block in so many bytes of memory, 8-aligned, 128 or more, which reader and writer both see without a cache
 * between; in less nothing is recorded. Zones that were open are not any more. Call it when the device starts, and
 * again to restart. */
static inline void kymo_device_start(struct kymo_device_block *block, uint32_t bytes) {
    const uint32_t self = (uint32_t)(uintptr_t)(block + 1);
    const uint32_t capacity = bytes < 128u ? 0u : (bytes - (uint32_t)sizeof *block) & ~7u;
    const bool again = block->magic == KYMO_DEVICE_MAGIC;
    block->magic = 0u;
    KYMO_DEVICE_FENCE();
    block->version = KYMO_DEVICE_VERSION;
    block->capacity = capacity;
    block->end = capacity;
    block->room = (int32_t)capacity;
    block->self = self;
    block->at = self;
    block->wrapped = 0u;
    block->refused = 0u;
    if (!again) {
        block->read = 0u;
        block->read_of = 0u;
    }
    block->starts = again ? block->starts + 1u : 1u;
    KYMO_DEVICE_FENCE();
    block->magic = KYMO_DEVICE_MAGIC;
}

#define KYMO_DEVICE_INLINE_ static inline __attribute__((always_inline))

KYMO_DEVICE_INLINE_ void kymo_device_put(struct kymo_device_block *block, uint32_t first,
                                         uint32_t second) {
    const uint32_t at = block->at;
    const uintptr_t place = sizeof(uintptr_t) > 4u
                                ? (uintptr_t)(block + 1) + (uintptr_t)(int32_t)(at - block->self)
                                : (uintptr_t)at;
    volatile uint32_t *const record = (volatile uint32_t *)place;
    record[0] = first;
    record[1] = second;
    KYMO_DEVICE_FENCE();
    block->at = at + 8u;
}

/* Not enough room before "end": looks how far the reader has come. The room of open zones' ends comes along. */
static inline bool kymo_device_more(struct kymo_device_block *block, uint32_t bytes) {
    const uint32_t read = block->read_of == block->starts ? block->read : 0u;
    const uint32_t at = block->at - block->self;
    const uint32_t need = block->end - at - (uint32_t)block->room + bytes;
    uint32_t from = at, end = block->capacity;
    if (read > at) {
        end = read - 8u;
    } else if (end - at < need) {
        from = 0u;
        end = read - (read != 0u ? 8u : 0u);
    }
    if (end - from < need) {
        block->refused = block->refused + 1u;
        return false;
    }
    if (from != at) {
        block->wrapped = at;
        KYMO_DEVICE_FENCE();
        block->at = block->self;
    }
    block->end = end;
    block->room = (int32_t)(end - from - need);
    return true;
}

__attribute__((noinline, unused)) static bool kymo_device_late(struct kymo_device_block *block,
                                                               uint32_t bytes, uint32_t first,
                                                               uint32_t second) {
    if (!kymo_device_more(block, bytes)) {
        return false;
    }
    kymo_device_put(block, first, second);
    return true;
}

/* A record, and room for so many bytes in all, its own 8 among them. False: there was no room. */
KYMO_DEVICE_INLINE_ bool kymo_device_record(struct kymo_device_block *block, uint32_t bytes,
                                            uint32_t first, uint32_t second) {
    const int32_t room = block->room - (int32_t)bytes;
    if (__builtin_expect(room < 0, 0)) {
        return kymo_device_late(block, bytes, first, second);
    }
    block->room = room;
    kymo_device_put(block, first, second);
    return true;
}

#ifdef KYMO_DEVICE_CLOCK

/* Sites are numbers below 2^29 times 8: the names lie in the device's ELF file (KYMO_DEVICE_SITE()), or the core that
 * drains the block has them in a list. */
#define KYMO_DEVICE_NUMBER(number) ((uint32_t)(number) << 3)

/* At file scope, in C++ in any namespace: a site whose name, a string literal, is in the ELF file and in no memory.
 * KYMO_DEVICE_SITE_OF() is its number. Not with -flto. */
#define KYMO_DEVICE_SITE(ident, name) KYMO_DEVICE_SITE_(ident, name, __FILE__, __LINE__)
#define KYMO_DEVICE_SITE_(ident, name, file, line) KYMO_DEVICE_PLACE_(ident, name, file, line)
#define KYMO_DEVICE_PLACE_(ident, name, file, line)                                                \
    __asm__(".pushsection .kymo_device_sites,\"\",%progbits\n.balign 8\n" #ident                   \
            "_kymo:\n.asciz " #name "\n.asciz " #file "\n.asciz \"" #line "\"\n.popsection");      \
    extern const char ident##_kymo[] __asm__(#ident "_kymo")
#define KYMO_DEVICE_SITE_OF(ident) ((uint32_t)(uintptr_t)ident##_kymo)

/* A zone begins; pass the result to the zone's end, which is accepted if the begin was. */
KYMO_DEVICE_INLINE_ bool kymo_device_begin(struct kymo_device_block *block, uint32_t site) {
    return kymo_device_record(block, 16u, KYMO_DEVICE_CLOCK(), site);
}

KYMO_DEVICE_INLINE_ void kymo_device_end(struct kymo_device_block *block, bool begun) {
    if (begun) {
        kymo_device_put(block, KYMO_DEVICE_CLOCK(), KYMO_DEVICE_END);
    }
}

KYMO_DEVICE_INLINE_ void kymo_device_event(struct kymo_device_block *block, uint32_t site) {
    (void)kymo_device_record(block, 8u, KYMO_DEVICE_CLOCK(), site + KYMO_DEVICE_EVENT);
}

/* 16 bytes. */
static inline void kymo_device_value(struct kymo_device_block *block, uint32_t site, int32_t i) {
    if (kymo_device_record(block, 16u, KYMO_DEVICE_CLOCK(), site + KYMO_DEVICE_VALUE)) {
        kymo_device_put(block, (uint32_t)i, (i < 0 ? ~7u : 0u) | KYMO_DEVICE_DATA);
    }
}

/* The operation that the zones from here on belong to, for example the one that the host has sent: a number below
 * 2^29. */
static inline void kymo_device_run(struct kymo_device_block *block, uint32_t number) {
    (void)kymo_device_record(block, 8u, KYMO_DEVICE_CLOCK(), number << 3 | KYMO_DEVICE_RUN);
}

#endif
#endif
