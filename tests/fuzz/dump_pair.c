/* SPDX-License-Identifier: MIT */
#include "dump_pair.h"

#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "kymo/memory.h"
#include "kymo/wire.h"

/* Addresses. */
#define FLASH 0x08000000u
#define RAM 0x20000000u
/* By how much a position-independent program is moved. */
#define BIAS 0x5000u
/* Offsets in the constants: the layout, then the sites, then their strings. */
#define SITES_AT 64u
#define SITES 8u
/* Offsets in the RAM. */
#define LINK_AT 0u
#define LANES_AT 256u
#define RINGS_AT 512u
#define RING_BYTES 512u
#define BLOCK_BYTES 128u
#define LANES 2u
#define RAM_BYTES (RINGS_AT + LANES * RING_BYTES)
#define LANE_BYTES 64u
/* Offsets in kymo_link, and in a lane. */
enum { MARK = 0, SESSION = 32, IMAGE = 40, PACKET_END = 48, PACKET = 52, PACKET_BYTES = 100 };
enum { WRITE = 0, TAIL = 8, LOST = 16, CONTEXT = 20, TIME = 24, EVENTS = 32, NAME = 40 };

struct bytes {
    uint8_t *at;
    size_t length, size;
    uint32_t pointer; /* bytes of one */
    uint32_t bias;    /* added to each address written now */
    bool moves;
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

/* The sites, one of each kind that events have. */
enum { ZONE, MESSAGE, INTERRUPT, FRAME, PLOT, POOL, STRING, FLOW };

/* ---- the ELF file ---- */

static uint32_t site_bytes(const struct bytes *b) { return b->pointer == 8 ? 48 : 32; }
static uint32_t constants_bytes(const struct bytes *b) {
    return SITES_AT + SITES * site_bytes(b) + 32;
}

static void put_layout(struct bytes *b, uint32_t kind) {
    static const uint16_t offsets[] = {WRITE,  TAIL,       LOST,         CONTEXT, TIME,
                                       EVENTS, NAME,       MARK,         SESSION, IMAGE,
                                       PACKET, PACKET_END, PACKET_BYTES, 0};
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
    const uint32_t strings = FLASH + b->bias + SITES_AT + SITES * site_bytes(b);
    static const uint8_t kinds[SITES] = {
        [ZONE] = KYMO_SITE_ZONE,     [MESSAGE] = KYMO_SITE_MESSAGE, [INTERRUPT] = KYMO_SITE_CONTEXT,
        [FRAME] = KYMO_SITE_FRAME,   [PLOT] = KYMO_SITE_PLOT,       [POOL] = KYMO_SITE_POOL,
        [STRING] = KYMO_SITE_STRING, [FLOW] = KYMO_SITE_FLOW};
    put_layout(b, kind);
    fill_to(b, start + SITES_AT);
    for (uint32_t i = 0; i < SITES; i++) {
        const size_t site = b->length;
        put_pointer(b, strings);
        put_pointer(b, i == INTERRUPT ? 0 : strings + 3);
        put_pointer(b, strings + 3);
        put(b, i + 1, 4);
        put(b, i == MESSAGE ? KYMO_ARG_U32 : i == INTERRUPT ? KYMO_CONTEXT_INTERRUPT : 0, 4);
        put(b, 0, 4);
        put(b, kinds[i], 1);
        fill_to(b, site + site_bytes(b));
    }
    memcpy(b->at + b->length, "%u\0main.c", 10);
    b->length += 10;
    fill_to(b, start + constants_bytes(b));
}

enum { OBJECT = 1, FUNCTION = 2 };
static const struct symbol {
    const char *name;
    uint32_t address, type, bytes;
} symbols[] = {
    {"kymo_layout", FLASH, OBJECT, 0},
    {"kymo_link", RAM + LINK_AT, OBJECT, 0},
    {"kymo_lanes", RAM + LANES_AT, OBJECT, 0},
    {"kymo_rings", RAM + RINGS_AT, OBJECT, 0},
    {"__start_kymo_sites", FLASH + SITES_AT, OBJECT, 0},
    {"__stop_kymo_sites", 0 /* after the sites */, OBJECT, 0},
    /* For readers that take the sites from the ELF file only. */
    {"__start_kymo_elf_sites", FLASH + SITES_AT, OBJECT, 0},
    {"__stop_kymo_elf_sites", 0, OBJECT, 0},
    {"__start_kymo_elf_text", FLASH, OBJECT, 0},
    {"__stop_kymo_elf_text", 0, OBJECT, 0},
    /* Functions, as if the constants were code; the second one without its size, and the last one of no type. */
    {"reset", FLASH + 16, FUNCTION, 32},
    {"main", FLASH + 64, FUNCTION, 0},
    {"_Zmain", FLASH + 64, FUNCTION, 8},
    {"$x", FLASH + 128, 0, 0},
    {"label", FLASH + 128, 0, 0},
};
#define SYMBOLS (sizeof symbols / sizeof *symbols)

static void put_symbol(struct bytes *b, const struct symbol *symbol, uint32_t name) {
    uint64_t value = symbol->address ? symbol->address : FLASH + SITES_AT + SITES * site_bytes(b);
    const uint32_t what = 3u << 16 | 0x10 | symbol->type; /* section 3, global */
    put(b, name, 4);
    if (b->pointer == 8) {
        put(b, what, 4);
        put(b, value, 8);
        put(b, symbol->bytes, 8);
    } else {
        put(b, value, 4);
        put(b, symbol->bytes, 4);
        put(b, what, 4);
    }
}

static void put_section(struct bytes *b, uint32_t type, uint64_t address, uint64_t offset,
                        uint64_t bytes, uint32_t link) {
    put(b, 0, 4);
    put(b, type, 4);
    put_pointer(b, address != 0 ? 6 : 0); /* SHF_ALLOC, SHF_EXECINSTR */
    put_pointer(b, address);
    put_pointer(b, offset);
    put_pointer(b, bytes);
    put(b, link, 4);
    put(b, 0, 4);
    put_pointer(b, 1);
    put_pointer(b, 0);
}

static void put_program_header(struct bytes *b, uint64_t offset, uint32_t address, uint32_t bytes) {
    put(b, 1, 4); /* PT_LOAD */
    if (b->pointer == 8) {
        put(b, 5, 4);
    }
    put_pointer(b, offset);
    put_pointer(b, address);
    put_pointer(b, address);
    put_pointer(b, bytes);
    put_pointer(b, bytes);
    if (b->pointer == 4) {
        put(b, 5, 4);
    }
    put_pointer(b, 1);
}

static uint32_t head_bytes(const struct bytes *b) { return b->pointer == 8 ? 64 : 52; }
static uint32_t program_bytes(const struct bytes *b) { return b->pointer == 8 ? 56 : 32; }

static void put_head(struct bytes *b, uint32_t type, uint32_t programs, uint32_t sections_at) {
    const size_t start = b->length;
    memcpy(b->at + start,
           b->pointer == 8 ? "\x7f"
                             "ELF\2\1\1"
                           : "\x7f"
                             "ELF\1\1\1",
           7);
    b->length += 7;
    fill_to(b, start + 16);
    put(b, type, 2);
    put(b, 243, 2); /* RISC-V */
    put(b, 1, 4);
    put_pointer(b, FLASH);
    put_pointer(b, head_bytes(b));
    put_pointer(b, sections_at);
    put(b, 0, 4);
    put(b, head_bytes(b), 2);
    put(b, program_bytes(b), 2);
    put(b, programs, 2);
    put(b, b->pointer == 8 ? 64 : 40, 2);
    put(b, sections_at != 0 ? 4 : 0, 2);
    put(b, 0, 2);
}

enum { ET_EXEC = 2, ET_DYN = 3, ET_CORE = 4 };

static void put_elf(struct bytes *b, uint32_t kind) {
    const uint32_t constants_at = head_bytes(b) + program_bytes(b);
    const uint32_t symbols_at = constants_at + constants_bytes(b);
    const uint32_t names_at = symbols_at + (uint32_t)SYMBOLS * (b->pointer == 8 ? 24 : 16);
    uint32_t names_bytes = 0;
    for (size_t i = 0; i < SYMBOLS; i++) {
        names_bytes += (uint32_t)strlen(symbols[i].name) + 1;
    }
    put_head(b, b->moves ? ET_DYN : ET_EXEC, 1, names_at + names_bytes);
    put_program_header(b, constants_at, FLASH, constants_bytes(b));
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
    put_section(b, 0, 0, 0, 0, 0);
    put_section(b, 2, 0, symbols_at, names_at - symbols_at, 2);
    put_section(b, 3, 0, names_at, names_bytes, 0);
    put_section(b, 1, FLASH, constants_at, constants_bytes(b), 0);
}

/* ---- the memory ---- */

#define KIND_NUMBER(name, number, reference, payload, role, word) (number),
static const uint8_t all_kinds[] = {KYMO_KINDS(KIND_NUMBER)};
#define KIND_REFERENCE(name, number, reference, payload, role, word) KYMO_REFERENCE_##reference,
static const uint8_t references[] = {KYMO_KINDS(KIND_REFERENCE)};
#define KINDS (sizeof all_kinds / sizeof *all_kinds)
/* Payload at most, and the longest record. */
#define PAYLOAD_WORDS 4u
#define RECORD_WORDS (3u + PAYLOAD_WORDS + 1u)

static uint32_t site_address(const struct bytes *b, uint32_t site) {
    return FLASH + b->bias + SITES_AT + site * site_bytes(b);
}

static uint32_t reference_of(const struct bytes *b, uint32_t reference, uint32_t random) {
    static const uint8_t sites[] = {
        [KYMO_REFERENCE_SITE_ZONE] = ZONE, [KYMO_REFERENCE_SITE_MESSAGE] = MESSAGE,
        [KYMO_REFERENCE_SITE_PLOT] = PLOT, [KYMO_REFERENCE_SITE_FRAME] = FRAME,
        [KYMO_REFERENCE_SITE_POOL] = POOL, [KYMO_REFERENCE_SITE_STRING] = STRING,
        [KYMO_REFERENCE_SITE_FLOW] = FLOW, [KYMO_REFERENCE_CONTEXT] = INTERRUPT};
    return reference < sizeof sites ? site_address(b, sites[reference]) : random % 4u * 8u;
}

/* A long record of one of all kinds that have a form of their own; returns its words. */
static uint32_t put_long(uint8_t *at, uint32_t time, uint32_t random, const struct bytes *b) {
    const uint32_t index = random / 8u % KINDS, kind = all_kinds[index];
    const uint32_t payload =
        (kind & KYMO_KIND_HAS_WORDS) != 0 ? 1u + random / 4096u % PAYLOAD_WORDS : 0;
    const uint32_t reference = (kind & KYMO_KIND_HAS_REF) != 0 ? 1 : 0;
    const uint32_t cells = (2u + reference + payload + 1u) / KYMO_CELL_WORDS;
    set(at, KYMO_LONG(kind, payload, cells), 4);
    set(at + 4, time, 4);
    if (reference != 0) {
        set(at + 8, reference_of(b, references[index], random), 4);
    }
    for (uint32_t i = 0; i < payload; i++) { /* a text has its length first */
        set(at + 8 + 4 * (size_t)(reference + i), i == 0 ? random % 8u : 0x6f6d796bu, 4);
    }
    return cells * KYMO_CELL_WORDS;
}

/* Writes records from "at" on, at most "words" words, then a zero; returns how many. */
static uint32_t put_records(uint8_t *at, uint32_t words, uint32_t random, const struct bytes *b) {
    uint32_t used = 0;
    for (uint32_t time = 1000; used + RECORD_WORDS < words; time += random % 50) {
        random = random * 1664525u + 1013904223u;
        const uint32_t first[5] = {
            site_address(b, ZONE), KYMO_TAG_END32, site_address(b, INTERRUPT) | KYMO_TAG_CONTEXT,
            site_address(b, FRAME) | KYMO_TAG_FRAME, 0x40u | KYMO_TAG_RESTATED};
        const uint32_t choice = random >> 24;
        uint8_t *record = at + 4 * (size_t)used;
        if (choice % 2 == 0) {
            used += put_long(record, time, random >> 8, b);
            continue;
        }
        set(record, first[choice / 2 % 5], 4);
        set(record + 4, time, 4);
        used += KYMO_CELL_WORDS;
    }
    return used;
}

static uint32_t fingerprint(const uint8_t *sites, const struct bytes *b) {
    uint32_t sum = kymo_sum_add(kymo_sum_add(RING_BYTES, BLOCK_BYTES), FLASH + b->bias + SITES_AT);
    for (uint32_t i = 0; i < SITES * site_bytes(b); i += 4) {
        uint32_t word = 0;
        memcpy(&word, sites + i, 4);
        sum = kymo_sum_add(sum, word);
    }
    return sum;
}

static void put_blocks(uint8_t *ring, uint32_t random, const struct bytes *b, uint32_t print) {
    for (uint32_t number = 5; number < 5 + RING_BYTES / BLOCK_BYTES; number++) {
        uint8_t *block = ring + (size_t)(number % (RING_BYTES / BLOCK_BYTES)) * BLOCK_BYTES;
        const uint32_t words[9] = {
            number, 1 + number / 7, 0x5e55 + number / 7, 0, number * 20, 0, 900, 0, 0};
        set(block, kymo_block_check(print, words), 4);
        for (uint32_t i = 0; i < 9; i++) {
            set(block + 4 + 4 * (size_t)i, words[i], 4);
        }
        (void)put_records(block + KYMO_BLOCK_HEAD_BYTES, BLOCK_BYTES / 4 - KYMO_BLOCK_HEAD_WORDS,
                          random + number, b);
    }
}

static void put_lanes(uint8_t *ram, uint32_t kind, uint32_t random, const struct bytes *b,
                      uint32_t print) {
    for (uint32_t i = 0; i < LANES; i++) {
        uint8_t *lane = ram + LANES_AT + (size_t)i * LANE_BYTES;
        uint8_t *ring = ram + RINGS_AT + (size_t)i * RING_BYTES;
        const uint32_t base = RAM + b->bias + RINGS_AT + i * RING_BYTES;
        set(lane + TIME, 900, 8);
        set(lane + EVENTS, random % 100, 8);
        if (kind == KYMO_RING_NEWEST) {
            put_blocks(ring, random + i, b, print);
            continue;
        }
        const uint32_t used = put_records(ring, RING_BYTES / 4, random + i, b);
        set(lane + TAIL, kind == KYMO_RING_MASKED ? base : 0, b->pointer);
        set(lane + WRITE, base + 4 * used, b->pointer);
    }
}

static void put_ram(struct bytes *b, uint32_t kind, uint32_t random, uint32_t print) {
    uint8_t *ram = b->at + b->length;
    fill_to(b, b->length + RAM_BYTES);
    set(ram + LINK_AT + MARK, KYMO_MARK_MAGIC, 4);
    set(ram + LINK_AT + MARK + 8, 1000000, 8);
    set(ram + LINK_AT + MARK + 16, FLASH + b->bias, b->pointer);
    set(ram + LINK_AT + IMAGE, FLASH + b->bias + SITES_AT + SITES * site_bytes(b) + 3, b->pointer);
    put_lanes(ram, kind, random, b, print);
}

/* A core file: the constants, with their pointers as the loader has made them; and the variables, in two parts that
 * meet within the rings. */
static uint32_t put_core(struct bytes *b, uint32_t kind) {
    const uint32_t start = (uint32_t)b->length;
    const uint32_t constants_at = head_bytes(b) + 3 * program_bytes(b);
    const uint32_t ram_at = constants_at + constants_bytes(b), first = RINGS_AT + 300;
    put_head(b, ET_CORE, 3, 0);
    put_program_header(b, constants_at, FLASH + b->bias, constants_bytes(b));
    put_program_header(b, ram_at, RAM + b->bias, first);
    put_program_header(b, ram_at + first, RAM + b->bias + first, RAM_BYTES - first);
    put_constants(b, kind);
    return start + constants_at;
}

size_t dump_pair_make(uint32_t index, uint8_t *out, size_t size, size_t *elf_length) {
    struct bytes b = {.at = out, .size = size, .pointer = index % 2 == 0 ? 8 : 4};
    const uint32_t kind = index / 2 % 3;
    b.moves = index / 6 % 2 != 0;
    put_elf(&b, kind);
    *elf_length = b.length;
    uint32_t constants_at = head_bytes(&b) + program_bytes(&b);
    if (b.moves) {
        b.bias = BIAS;
        constants_at = put_core(&b, kind);
    }
    const uint32_t print = fingerprint(out + constants_at + SITES_AT, &b);
    put_ram(&b, kind, index * 2654435761u + 1, print);
    return b.length;
}

uint32_t dump_pair_function(uint32_t index) {
    for (size_t i = 0; i < SYMBOLS; i++) {
        if (symbols[i].type == FUNCTION && index-- == 0) {
            return symbols[i].address;
        }
    }
    return 0;
}
