/* SPDX-License-Identifier: MIT */
#include "elf/elf.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

/* e_ident */
enum { EI_CLASS = 4, EI_DATA = 5, IDENT_BYTES = 16 };
enum { CLASS_32 = 1, CLASS_64 = 2, DATA_LITTLE = 1 };
enum { ET_EXEC = 2, ET_DYN = 3, ET_CORE = 4 };
enum { PT_LOAD = 1, SHT_SYMTAB = 2, SHT_NOBITS = 8 };
/* e_phnum where there are more segments than it can count: sh_info of section 0 has the number. */
#define MANY_SEGMENTS 0xffffu
#define PAGE_BYTES 4096u /* the least of all machines */

/* Offsets of fields, for 32 and 64 bits. */
struct place {
    uint16_t narrow, wide;
};

static const struct place header_bytes = {52, 64};
static const struct place e_phoff = {28, 32}, e_shoff = {32, 40}, e_phentsize = {42, 54},
                          e_phnum = {44, 56}, e_shentsize = {46, 58}, e_shnum = {48, 60},
                          e_shstrndx = {50, 62};
static const struct place program_header = {32, 56};
static const struct place p_offset = {4, 8}, p_vaddr = {8, 16}, p_paddr = {12, 24},
                          p_filesz = {16, 32}, p_memsz = {20, 40};
static const struct place section_header = {40, 64};
static const struct place sh_addr = {12, 16}, sh_offset = {16, 24}, sh_size = {20, 32},
                          sh_link = {24, 40}, sh_info = {28, 44};
static const struct place symbol_bytes = {16, 24};
static const struct place st_value = {4, 8}, st_size = {8, 16}, st_info = {12, 4},
                          st_shndx = {14, 6};
static const struct place sh_flags = {8, 8};
#define SHF_ALLOC 2u
#define SHF_EXECINSTR 4u
#define SHF_COMPRESSED 0x800u
/* No longer names are looked for the end of. */
#define NAME_BYTES_MAX 4096u

static size_t at(const struct elf *elf, struct place place) {
    return elf->address_bytes == 8 ? place.wide : place.narrow;
}

static uint64_t field(const struct elf *elf, const uint8_t *entry, struct place place) {
    return bytes_address(entry + at(elf, place), elf->address_bytes);
}

/* The bytes of the file from an offset on; NULL if it has not so many there. */
static const uint8_t *span(const struct elf *elf, uint64_t offset, uint64_t length) {
    if (offset > elf->length || length > elf->length - offset) {
        return NULL;
    }
    return elf->bytes + offset;
}

/* Entry "index" of a table. */
static const uint8_t *entry(const struct elf *elf, uint64_t table, uint32_t index, uint32_t stride,
                            struct place least) {
    if (stride < at(elf, least) || table > elf->length) {
        return NULL;
    }
    return span(elf, table + (uint64_t)index * stride, at(elf, least));
}

static const uint8_t *section(const struct elf *elf, uint32_t index) {
    return index < elf->section_count
               ? entry(elf, elf->sections_at, index, elf->section_bytes, section_header)
               : NULL;
}

bool elf_is(const uint8_t *bytes, size_t length) {
    return length >= 4 && memcmp(bytes,
                                 "\x7f"
                                 "ELF",
                                 4) == 0;
}

bool elf_is_cut(const struct elf *elf) {
    return elf->section_count != 0 && section(elf, elf->section_count - 1u) == NULL;
}

bool elf_may_move_by(const struct elf *elf, uint64_t bytes) {
    return elf->is_movable ? bytes % PAGE_BYTES == 0 : bytes == 0;
}

static int fail(struct elf *elf, const char *why) {
    elf->why = why;
    return -EINVAL;
}

static void read_header(struct elf *elf) {
    const uint8_t *header = elf->bytes;
    uint16_t type = bytes_u16(header + IDENT_BYTES);
    elf->machine = bytes_u16(header + IDENT_BYTES + 2);
    elf->is_core = type == ET_CORE;
    elf->is_movable = type == ET_DYN;
    elf->segments_at = field(elf, header, e_phoff);
    elf->sections_at = field(elf, header, e_shoff);
    elf->segment_bytes = bytes_u16(header + at(elf, e_phentsize));
    elf->segment_count = bytes_u16(header + at(elf, e_phnum));
    elf->section_bytes = bytes_u16(header + at(elf, e_shentsize));
    elf->section_count = bytes_u16(header + at(elf, e_shnum));
    if (elf->segment_count == MANY_SEGMENTS) {
        const uint8_t *first = section(elf, 0);
        elf->segment_count = first ? bytes_u32(first + at(elf, sh_info)) : 0;
    }
    /* No more than the file can hold, whatever its header says. */
    uint64_t most = elf->length / at(elf, program_header);
    elf->segment_count = elf->segment_count < most ? elf->segment_count : (uint32_t)most;
}

/* At the greatest number of areas, the last one is extended to cover all that follow. */
static void add_code(struct elf *elf, uint64_t start, uint64_t bytes) {
    if (elf->code_count < ELF_CODE_MAX) {
        elf->code[elf->code_count++] = (struct elf_range){start, bytes};
        return;
    }
    struct elf_range *last = &elf->code[ELF_CODE_MAX - 1];
    const uint64_t end = last->start + last->bytes, end_here = start + bytes;
    last->start = start < last->start ? start : last->start;
    last->bytes = (end_here > end ? end_here : end) - last->start;
}

static void find_code(struct elf *elf) {
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const uint8_t *header = section(elf, i);
        const uint64_t bytes = header ? field(elf, header, sh_size) : 0;
        const uint32_t flags = header ? bytes_u32(header + at(elf, sh_flags)) : 0;
        if (bytes != 0 && (flags & SHF_ALLOC) != 0 && (flags & SHF_EXECINSTR) != 0) {
            add_code(elf, field(elf, header, sh_addr), bytes);
        }
    }
}

bool elf_is_code(const struct elf *elf, uint64_t address) {
    for (uint32_t i = 0; i < elf->code_count; i++) {
        if (address - elf->code[i].start < elf->code[i].bytes) {
            return true;
        }
    }
    return false;
}

int elf_open(struct elf *elf, const uint8_t *bytes, size_t length) {
    *elf = (struct elf){.bytes = bytes, .length = length};
    if (!elf_is(bytes, length) || length < IDENT_BYTES) {
        return fail(elf, "is not an ELF file: give the program as the linker wrote it, not a .bin, "
                         ".hex or .uf2 file");
    }
    if (bytes[EI_CLASS] != CLASS_32 && bytes[EI_CLASS] != CLASS_64) {
        return fail(elf, "is an ELF file of neither 32 nor 64 bits: it is damaged, copy it again");
    }
    if (bytes[EI_DATA] != DATA_LITTLE) {
        return fail(elf, "is an ELF file of a big-endian machine, on which kymo does not run");
    }
    elf->address_bytes = bytes[EI_CLASS] == CLASS_64 ? 8 : 4;
    if (length < at(elf, header_bytes)) {
        return fail(elf, "is an ELF file that ends within its header: copy it again");
    }
    read_header(elf);
    find_code(elf);
    return 0;
}

bool elf_segment(const struct elf *elf, uint32_t index, struct elf_segment *segment) {
    const uint8_t *header = index < elf->segment_count ? entry(elf, elf->segments_at, index,
                                                               elf->segment_bytes, program_header)
                                                       : NULL;
    if (!header || bytes_u32(header) != PT_LOAD) {
        return false;
    }
    segment->address = field(elf, header, p_vaddr);
    segment->physical_address = field(elf, header, p_paddr);
    segment->bytes = field(elf, header, p_memsz);
    segment->content_bytes = field(elf, header, p_filesz);
    segment->content = span(elf, field(elf, header, p_offset), segment->content_bytes);
    return segment->content != NULL;
}

uint64_t elf_lowest(const struct elf *elf) {
    struct elf_segment segment;
    uint64_t lowest = UINT64_MAX;
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        if (elf_segment(elf, i, &segment) && segment.address < lowest) {
            lowest = segment.address;
        }
    }
    return lowest;
}

/* A table of symbols and the strings of their names. */
struct symbols {
    const uint8_t *entries;
    uint64_t count;
    const char *names;
    uint64_t names_bytes;
};

static bool read_symbols(const struct elf *elf, const uint8_t *header, struct symbols *symbols) {
    uint64_t bytes = field(elf, header, sh_size);
    const uint8_t *strings = section(elf, bytes_u32(header + at(elf, sh_link)));
    if (bytes_u32(header + 4) != SHT_SYMTAB || !strings) {
        return false;
    }
    symbols->entries = span(elf, field(elf, header, sh_offset), bytes);
    symbols->count = bytes / at(elf, symbol_bytes);
    symbols->names_bytes = field(elf, strings, sh_size);
    symbols->names = (const char *)span(elf, field(elf, strings, sh_offset), symbols->names_bytes);
    return symbols->entries && symbols->names;
}

static bool is_named(const struct symbols *symbols, uint32_t offset, const char *name) {
    size_t length = strlen(name) + 1;
    return offset <= symbols->names_bytes && length <= symbols->names_bytes - offset &&
           memcmp(symbols->names + offset, name, length) == 0;
}

/* The number of symbols that the file has room for: several section headers may name the same bytes. */
static uint64_t most_symbols(const struct elf *elf) { return elf->length / at(elf, symbol_bytes); }

/* The entry of a defined symbol. NULL: not among the next *left symbols. */
static const uint8_t *find_in(const struct elf *elf, const struct symbols *symbols,
                              const char *name, uint64_t *left) {
    for (uint64_t i = 0; i < symbols->count && *left != 0; i++, --*left) {
        const uint8_t *symbol = symbols->entries + i * at(elf, symbol_bytes);
        bool defined = bytes_u16(symbol + at(elf, st_shndx)) != 0;
        if (defined && is_named(symbols, bytes_u32(symbol), name)) {
            return symbol;
        }
    }
    return NULL;
}

static const uint8_t *find(const struct elf *elf, const char *name) {
    struct symbols symbols;
    const uint8_t *found = NULL;
    uint64_t left = most_symbols(elf);
    for (uint32_t i = 0; i < elf->section_count && !found; i++) {
        const uint8_t *header = section(elf, i);
        if (header && read_symbols(elf, header, &symbols)) {
            found = find_in(elf, &symbols, name, &left);
        }
    }
    return found;
}

bool elf_symbol(const struct elf *elf, const char *name, uint64_t *address) {
    const uint8_t *symbol = find(elf, name);
    *address = symbol ? field(elf, symbol, st_value) : *address;
    return symbol != NULL;
}

static const uint8_t *section_named(const struct elf *elf, const char *name) {
    const uint8_t *names = section(elf, bytes_u16(elf->bytes + at(elf, e_shstrndx)));
    const uint64_t bytes = names ? field(elf, names, sh_size) : 0;
    const uint8_t *text = names ? span(elf, field(elf, names, sh_offset), bytes) : NULL;
    const struct symbols all = {.names = (const char *)text, .names_bytes = text ? bytes : 0};
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const uint8_t *header = section(elf, i);
        if (header && is_named(&all, bytes_u32(header), name)) {
            return header;
        }
    }
    return NULL;
}

bool elf_has_section(const struct elf *elf, const char *name) {
    return section_named(elf, name) != NULL;
}

static bool read_area(const struct elf *elf, const uint8_t *header, struct elf_area *area) {
    if (!header || bytes_u32(header + 4) == SHT_NOBITS) {
        return false;
    }
    area->address = field(elf, header, sh_addr);
    area->bytes = field(elf, header, sh_size);
    area->content = span(elf, field(elf, header, sh_offset), area->bytes);
    return area->content != NULL;
}

bool elf_section(const struct elf *elf, const char *name, struct elf_area *area) {
    const uint8_t *header = section_named(elf, name);
    return read_area(elf, header, area) &&
           (bytes_u32(header + at(elf, sh_flags)) & SHF_COMPRESSED) == 0;
}

bool elf_symbol_area(const struct elf *elf, const char *name, uint64_t *address,
                     struct elf_area *area) {
    const uint8_t *symbol = find(elf, name);
    const uint8_t *header = symbol ? section(elf, bytes_u16(symbol + at(elf, st_shndx))) : NULL;
    if (!read_area(elf, header, area)) {
        return false;
    }
    *address = field(elf, symbol, st_value);
    return true;
}

static uint64_t code_left(const struct elf *elf, const uint8_t *symbol, uint64_t value) {
    const uint8_t *header = section(elf, bytes_u16(symbol + at(elf, st_shndx)));
    if (!header || (bytes_u32(header + at(elf, sh_flags)) & SHF_EXECINSTR) == 0) {
        return 0;
    }
    const uint64_t offset = value - field(elf, header, sh_addr);
    const uint64_t bytes = field(elf, header, sh_size);
    return offset < bytes ? bytes - offset : 0;
}

/* False: it is not defined, or its name does not end. */
static bool read_symbol(const struct elf *elf, const struct symbols *symbols, const uint8_t *entry,
                        struct elf_symbol *symbol) {
    const uint32_t name = bytes_u32(entry);
    if (bytes_u16(entry + at(elf, st_shndx)) == 0 || name >= symbols->names_bytes) {
        return false;
    }
    const uint64_t room = symbols->names_bytes - name;
    if (!memchr(symbols->names + name, 0, room < NAME_BYTES_MAX ? (size_t)room : NAME_BYTES_MAX)) {
        return false;
    }
    const uint8_t info = entry[at(elf, st_info)];
    const uint64_t value = field(elf, entry, st_value);
    *symbol = (struct elf_symbol){.name = symbols->names + name,
                                  .value = value,
                                  .size = field(elf, entry, st_size),
                                  .type = info & 15u,
                                  .is_global = info >> 4 != 0,
                                  .code_left = code_left(elf, entry, value)};
    return true;
}

void elf_symbols_each(const struct elf *elf, void *context,
                      void (*visit)(void *context, const struct elf_symbol *symbol)) {
    struct symbols symbols;
    struct elf_symbol symbol;
    uint64_t left = most_symbols(elf);
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const uint8_t *header = section(elf, i);
        const bool is_table = header && read_symbols(elf, header, &symbols);
        for (uint64_t j = 0; is_table && j < symbols.count && left > 0; j++, left--) {
            if (read_symbol(elf, &symbols, symbols.entries + j * at(elf, symbol_bytes), &symbol)) {
                visit(context, &symbol);
            }
        }
    }
}

/* From an address to the end of the content of its segment. */
static const uint8_t *rest_at(const struct elf *elf, uint64_t address, uint64_t *length) {
    struct elf_segment segment;
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        if (elf_segment(elf, i, &segment) && address >= segment.address &&
            address - segment.address < segment.content_bytes) {
            *length = segment.content_bytes - (address - segment.address);
            return segment.content + (address - segment.address);
        }
    }
    return NULL;
}

const uint8_t *elf_at(const struct elf *elf, uint64_t address, size_t length) {
    uint64_t rest = 0;
    const uint8_t *bytes = rest_at(elf, address, &rest);
    return bytes && length <= rest ? bytes : NULL;
}

const char *elf_string(const struct elf *elf, uint64_t address, size_t *length) {
    uint64_t rest = 0;
    const uint8_t *bytes = rest_at(elf, address, &rest);
    const uint8_t *end = bytes ? memchr(bytes, 0, (size_t)rest) : NULL;
    *length = end ? (size_t)(end - bytes) : 0;
    return end ? (const char *)bytes : "";
}
