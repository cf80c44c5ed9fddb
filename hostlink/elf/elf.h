/* SPDX-License-Identifier: MIT */
/* Reads ELF files, of 32 and 64 bits, little-endian: segments and symbols. Every offset and size in the file
 * is checked before it is used. Field offsets: "Tool Interface Standard (TIS) Executable and Linking Format
 * Specification", 1.2, and "ELF-64 Object File Format", 1.5. */
#ifndef HOSTLINK_ELF_H
#define HOSTLINK_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_CODE_MAX 32u

struct elf_range {
    uint64_t start, bytes;
};

struct elf {
    const uint8_t *bytes; /* the caller's */
    size_t length;
    size_t address_bytes;     /* 4 or 8 */
    bool is_core, is_movable; /* a core file; position independent (ET_DYN) */
    uint16_t machine;         /* e_machine */
    uint64_t segments_at, sections_at;
    uint32_t segment_count, segment_bytes, section_count, section_bytes;
    /* Loaded sections of instructions; the last one spans the rest. */
    struct elf_range code[ELF_CODE_MAX];
    uint32_t code_count;
    const char *why; /* after a failed open */
};

/* A part of memory that the file describes (PT_LOAD). */
struct elf_segment {
    uint64_t address;          /* where the program sees it; p_vaddr */
    uint64_t physical_address; /* p_paddr */
    uint64_t bytes;            /* in memory */
    const uint8_t *content;    /* from the file */
    uint64_t content_bytes;    /* the rest is zero, or unknown */
};

/* True if it begins as an ELF file does. */
bool elf_is(const uint8_t *bytes, size_t length);
/* 0, or -EINVAL with elf->why set. The bytes must outlive it. */
int elf_open(struct elf *elf, const uint8_t *bytes, size_t length);
/* True if its table of sections, which linkers write last, is not all there. */
bool elf_is_cut(const struct elf *elf);
/* True if the program can run this far above its linked address: 0 only, or whole pages if it is movable. */
bool elf_may_move_by(const struct elf *elf, uint64_t bytes);
/* True if the program has instructions at this address. */
bool elf_is_code(const struct elf *elf, uint64_t address);
/* The first address that it is loaded to; UINT64_MAX: it is not loaded. */
uint64_t elf_lowest(const struct elf *elf);
/* PT_LOAD number "index" among all program headers. False: that header is of another type, or lies outside of the
 * file. For all indices below elf->segment_count. */
bool elf_segment(const struct elf *elf, uint32_t index, struct elf_segment *segment);
/* The value of a symbol. False: there is no such symbol. */
bool elf_symbol(const struct elf *elf, const char *name, uint64_t *address);
/* A section of the file, also one that is loaded nowhere. */
struct elf_area {
    uint64_t address; /* of its first byte */
    const uint8_t *content;
    uint64_t bytes;
};
/* The section that a symbol is in, and its address. False: there is no such symbol, or no such content. */
bool elf_symbol_area(const struct elf *elf, const char *name, uint64_t *address,
                     struct elf_area *area);
bool elf_has_section(const struct elf *elf, const char *name);
/* The first section of that name. False: not found, without content in the file, or compressed. */
bool elf_section(const struct elf *elf, const char *name, struct elf_area *area);
/* st_type */
enum { ELF_SYMBOL_NO_TYPE = 0, ELF_SYMBOL_FUNCTION = 2 };
/* A symbol that is defined. */
struct elf_symbol {
    const char *name; /* ended by NUL */
    uint64_t value, size;
    uint8_t type;
    bool is_global;
    uint64_t code_left; /* bytes to the end of its section; 0: that has no instructions */
};
/* Calls "visit" for each that is sound. */
void elf_symbols_each(const struct elf *elf, void *context,
                      void (*visit)(void *context, const struct elf_symbol *symbol));
/* "length" bytes of the content at an address, NULL if the file does not hold them. */
const uint8_t *elf_at(const struct elf *elf, uint64_t address, size_t length);
/* The string at an address: "" if the file does not hold it with its end. */
const char *elf_string(const struct elf *elf, uint64_t address, size_t *length);

#endif
