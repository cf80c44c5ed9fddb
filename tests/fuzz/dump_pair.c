#include "dump_pair.h"

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "kymo/memory.h"
#include "kymo/wire.h"

/* Addresses. */
#define FLASH 0x08000000u
#define RAM 0x20000000u
/* Offsets in the constants: the layout, then the sites, then their strings. */
#define SITES_AT 64u
#define SITES 4u
/* Offsets in the RAM. */
#define LINK_AT 0u
#define LANES_AT 256u
#define RINGS_AT 512u
#define RING_BYTES 512u
#define BLOCK_BYTES 128u
#define LANES 2u
#define LANE_BYTES 64u
/* Offsets in kymo_link, and in a lane. */
enum { MARK = 0, SESSION = 32, IMAGE = 40, FRAME_END = 48, FRAME = 52, FRAME_BYTES = 100 };
enum { WRITE = 0, TAIL = 8, LOST = 16, CONTEXT = 20, TIME = 24, EVENTS = 32, NAME = 40 };

struct bytes {
    uint8_t *at;
    size_t length, size;
    uint32_t pointer; /* bytes of one */
};

static void put(struct bytes *b, uint64_t value, uint32_t count) {
    if (b->length + count > b->size) {
        fuzz_wrong("no room for a correct pair");
    }
    for (uint32_t i = 0; i < count; i++) {
        b->at[b->length++] = (uint8_t)(value >> (8 * i));
    }
}

static void put_pointer(struct bytes *b, uint64_t value) { put(b, value, b->pointer); }

static void fill_to(struct bytes *b, size_t length) {
    while (b->length < length) {
        put(b, 0, 1);
    }
}

static void set(uint8_t *at, uint64_t value, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* ---- the ELF file ---- */

static uint32_t site_bytes(const struct bytes *b) { return b->pointer == 8 ? 48 : 32; }
static uint32_t constants_bytes(const struct bytes *b) {
    return SITES_AT + SITES * site_bytes(b) + 32;
}

static void put_layout(struct bytes *b, uint32_t kind) {
    static const uint16_t offsets[] = {WRITE, TAIL,    LOST,  CONTEXT, TIME,      EVENTS,      NAME,
                                       MARK,  SESSION, IMAGE, FRAME,   FRAME_END, FRAME_BYTES, 0};
    put(b, KYMO_LAYOUT_MAGIC, 4);
    put(b, KYMO_MEMORY_VERSION, 2);
    put(b, b->pointer, 2);
    put(b, kind, 4);
    put(b, LANES, 4);
    put(b, RING_BYTES, 4);
    put(b, kind == KYMO_RING_NEWEST ? BLOCK_BYTES : 0, 4);
    put(b, LANE_BYTES, 4);
    put(b, site_bytes(b), 4);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        put(b, offsets[i], 2);
    }
}

static void put_constants(struct bytes *b, uint32_t kind) {
    const size_t start = b->length;
    const uint32_t strings = FLASH + SITES_AT + SITES * site_bytes(b);
    static const uint8_t kinds[SITES] = {KYMO_SITE_ZONE, KYMO_SITE_MESSAGE, KYMO_SITE_CONTEXT,
                                         KYMO_SITE_FRAME};
    put_layout(b, kind);
    fill_to(b, start + SITES_AT);
    for (uint32_t i = 0; i < SITES; i++) {
        const size_t site = b->length;
        put_pointer(b, strings);
        put_pointer(b, i == 2 ? 0 : strings + 3);
        put_pointer(b, strings + 3);
        put(b, i + 1, 4);
        put(b, i == 1 ? KYMO_ARG_U32 : i == 2 ? KYMO_CONTEXT_INTERRUPT : 0, 4);
        put(b, 0, 4);
        put(b, kinds[i], 1);
        fill_to(b, site + site_bytes(b));
    }
    memcpy(b->at + b->length, "%u\0main.c", 10);
    b->length += 10;
    fill_to(b, start + constants_bytes(b));
}

static const struct symbol {
    const char *name;
    uint32_t address;
} symbols[] = {
    {"kymo_layout", FLASH},
    {"kymo_link", RAM + LINK_AT},
    {"kymo_lanes", RAM + LANES_AT},
    {"kymo_rings", RAM + RINGS_AT},
    {"__start_kymo_sites", FLASH + SITES_AT},
    {"__stop_kymo_sites", 0 /* behind the sites */},
};
#define SYMBOLS (sizeof symbols / sizeof *symbols)

static void put_symbol(struct bytes *b, const struct symbol *symbol, uint32_t name) {
    uint64_t value = symbol->address ? symbol->address : FLASH + SITES_AT + SITES * site_bytes(b);
    put(b, name, 4);
    if (b->pointer == 8) {
        put(b, 1u << 16 | 0x11, 4); /* section 1, global object */
        put(b, value, 8);
        put(b, 0, 8);
    } else {
        put(b, value, 4);
        put(b, 0, 4);
        put(b, 1u << 16 | 0x11, 4);
    }
}

static void put_section(struct bytes *b, uint32_t type, uint64_t offset, uint64_t bytes,
                        uint32_t link) {
    put(b, 0, 4);
    put(b, type, 4);
    put_pointer(b, 0);
    put_pointer(b, 0);
    put_pointer(b, offset);
    put_pointer(b, bytes);
    put(b, link, 4);
    put(b, 0, 4);
    put_pointer(b, 1);
    put_pointer(b, 0);
}

static void put_program_header(struct bytes *b, uint64_t offset) {
    put(b, 1, 4); /* PT_LOAD */
    if (b->pointer == 8) {
        put(b, 5, 4);
    }
    put_pointer(b, offset);
    put_pointer(b, FLASH);
    put_pointer(b, FLASH);
    put_pointer(b, constants_bytes(b));
    put_pointer(b, constants_bytes(b));
    if (b->pointer == 4) {
        put(b, 5, 4);
    }
    put_pointer(b, 1);
}

static void put_elf(struct bytes *b, uint32_t kind) {
    const bool wide = b->pointer == 8;
    const uint32_t head = wide ? 64 : 52, program = wide ? 56 : 32, section = wide ? 64 : 40;
    const uint32_t symbols_at = head + program + constants_bytes(b);
    const uint32_t names_at = symbols_at + (uint32_t)SYMBOLS * (wide ? 24 : 16);
    uint32_t names_bytes = 0;
    for (size_t i = 0; i < SYMBOLS; i++) {
        names_bytes += (uint32_t)strlen(symbols[i].name) + 1;
    }
    memcpy(b->at,
           wide ? "\x7f"
                  "ELF\2\1\1"
                : "\x7f"
                  "ELF\1\1\1",
           7);
    b->length = 7;
    fill_to(b, 16);
    put(b, 2, 2);   /* ET_EXEC */
    put(b, 243, 2); /* RISC-V */
    put(b, 1, 4);
    put_pointer(b, FLASH);
    put_pointer(b, head);
    put_pointer(b, names_at + names_bytes);
    put(b, 0, 4);
    put(b, head, 2);
    put(b, program, 2);
    put(b, 1, 2);
    put(b, section, 2);
    put(b, 3, 2);
    put(b, 0, 2);
    put_program_header(b, head + program);
    put_constants(b, kind);
    for (uint32_t i = 0, name = 0; i < SYMBOLS; i++) {
        put_symbol(b, &symbols[i], name);
        name += (uint32_t)strlen(symbols[i].name) + 1;
    }
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        const size_t length = strlen(symbols[i].name) + 1;
        memcpy(b->at + b->length, symbols[i].name, length);
        b->length += length;
    }
    put_section(b, 0, 0, 0, 0);
    put_section(b, 2, symbols_at, names_at - symbols_at, 2);
    put_section(b, 3, names_at, names_bytes, 0);
}

/* ---- the memory ---- */

/* Records from "at" on, at most "words" words with a zero behind; returns how many. */
static uint32_t put_records(uint8_t *at, uint32_t words, uint32_t random, uint32_t site) {
    uint32_t used = 0;
    for (uint32_t time = 1000; used + 6 < words; time += random % 50) {
        random = random * 1664525u + 1013904223u;
        const uint32_t zone = FLASH + SITES_AT, message = zone + site, context = message + site,
                       frame = context + site;
        const uint32_t first[6] = {zone,
                                   KYMO_TAG_END32,
                                   KYMO_LONG(KYMO_KIND_MESSAGE, 1u, 2u),
                                   context | KYMO_TAG_CONTEXT,
                                   frame | KYMO_TAG_FRAME,
                                   0x40u | KYMO_TAG_RESTATED};
        const uint32_t choice = random >> 24;
        set(at + 4 * (size_t)used, first[choice % 6], 4);
        set(at + 4 * (size_t)used + 4, time, 4);
        used += 2;
        if (choice % 6 == 2) {
            set(at + 4 * (size_t)used, message, 4);
            set(at + 4 * (size_t)used + 4, choice, 4);
            used += 2;
        }
    }
    return used;
}

static uint32_t fingerprint(const uint8_t *sites, uint32_t bytes) {
    uint32_t sum = kymo_sum_add(kymo_sum_add(RING_BYTES, BLOCK_BYTES), FLASH + SITES_AT);
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t word = 0;
        memcpy(&word, sites + i, 4);
        sum = kymo_sum_add(sum, word);
    }
    return sum;
}

static void put_blocks(uint8_t *ring, uint32_t random, uint32_t site, uint32_t print) {
    for (uint32_t number = 5; number < 5 + RING_BYTES / BLOCK_BYTES; number++) {
        uint8_t *block = ring + (size_t)(number % (RING_BYTES / BLOCK_BYTES)) * BLOCK_BYTES;
        const uint32_t words[9] = {
            number, 1 + number / 7, 0x5e55 + number / 7, 0, number * 20, 0, 900, 0, 0};
        set(block, kymo_block_check(print, words), 4);
        for (uint32_t i = 0; i < 9; i++) {
            set(block + 4 + 4 * (size_t)i, words[i], 4);
        }
        (void)put_records(block + KYMO_BLOCK_HEAD_BYTES, BLOCK_BYTES / 4 - KYMO_BLOCK_HEAD_WORDS,
                          random + number, site);
    }
}

static void put_memory(uint8_t *ram, uint32_t kind, uint32_t random, const struct bytes *elf,
                       uint32_t print) {
    set(ram + LINK_AT + MARK, KYMO_MARK_MAGIC, 4);
    set(ram + LINK_AT + MARK + 8, 1000000, 8);
    set(ram + LINK_AT + MARK + 16, FLASH, elf->pointer);
    set(ram + LINK_AT + IMAGE, FLASH + SITES_AT + SITES * site_bytes(elf) + 3, elf->pointer);
    for (uint32_t i = 0; i < LANES; i++) {
        uint8_t *lane = ram + LANES_AT + (size_t)i * LANE_BYTES;
        uint8_t *ring = ram + RINGS_AT + (size_t)i * RING_BYTES;
        const uint32_t base = RAM + RINGS_AT + i * RING_BYTES;
        set(lane + TIME, 900, 8);
        set(lane + EVENTS, random % 100, 8);
        if (kind == KYMO_RING_NEWEST) {
            put_blocks(ring, random + i, site_bytes(elf), print);
            continue;
        }
        const uint32_t used = put_records(ring, RING_BYTES / 4, random + i, site_bytes(elf));
        set(lane + TAIL, kind == KYMO_RING_MASKED ? base : 0, elf->pointer);
        set(lane + WRITE, base + 4 * used, elf->pointer);
    }
}

size_t dump_pair_make(uint32_t index, uint8_t *out, size_t size, size_t *elf_length) {
    struct bytes b = {.at = out, .size = size, .pointer = index % 2 == 0 ? 8 : 4};
    const uint32_t kind = index / 2 % 3;
    put_elf(&b, kind);
    *elf_length = b.length;
    const uint32_t sites_at = (b.pointer == 8 ? 64 + 56 : 52 + 32) + SITES_AT;
    const uint32_t print = fingerprint(out + sites_at, SITES * site_bytes(&b));
    fill_to(&b, b.length + RINGS_AT + LANES * RING_BYTES);
    put_memory(out + *elf_length, kind, index * 2654435761u + 1, &b, print);
    return b.length;
}
