/* SPDX-License-Identifier: MIT */
#include "dump/memory.h"

#include <ctype.h>
#include <errno.h>

/* Forms of text in which gdb and objcopy write memory, too, each by how its first line begins. */
static const char *text_form(const uint8_t *bytes, size_t length) {
    static const struct {
        uint8_t first;
        const char *why;
    } forms[] = {
#define TEXT_FORM(name)                                                                            \
    "is text, not bytes: save it in gdb with 'dump binary memory', or turn it with "               \
    "'objcopy -I " name " -O binary FILE RAM.bin'"
        {':', TEXT_FORM("ihex")},
        {'S', TEXT_FORM("srec")},
        {'%', TEXT_FORM("tekhex")},
        {'@', TEXT_FORM("verilog")},
    };
    const size_t digits = 6; /* at least, in each of them */
    bool is_text = length > digits;
    for (size_t i = 1; is_text && i <= digits; i++) {
        is_text = isxdigit(bytes[i]) != 0;
    }
    for (size_t i = 0; is_text && i < sizeof forms / sizeof *forms; i++) {
        if (bytes[0] == forms[i].first) {
            return forms[i].why;
        }
    }
    return NULL;
}

int memory_open(struct memory *memory, const uint8_t *bytes, size_t length, const char **why) {
    *memory = (struct memory){.bytes = bytes, .length = length};
    if (!elf_is(bytes, length)) {
        *why = text_form(bytes, length);
        return *why ? -EINVAL : 0;
    }
    memory->is_core = true;
    memory->is_placed = true;
    if (elf_open(&memory->core, bytes, length)) {
        *why = memory->core.why;
        return -EINVAL;
    }
    if (!memory->core.is_core) {
        *why = "an ELF file, but not a core file: name the memory here, and the program with --elf";
        return -EINVAL;
    }
    return 0;
}

void memory_place(struct memory *memory, uint64_t address) {
    memory->address = address;
    memory->is_placed = true;
}

/* Dumps of machines without address translation have physical addresses only. */
static uint64_t address_of(const struct elf_segment *segment) {
    return segment->address != 0 ? segment->address : segment->physical_address;
}

static bool next_segment(const struct memory *memory, uint32_t *index, struct memory_part *part) {
    struct elf_segment segment;
    while (*index < memory->core.segment_count) {
        if (elf_segment(&memory->core, (*index)++, &segment)) {
            *part = (struct memory_part){address_of(&segment), segment.content,
                                         (size_t)segment.content_bytes};
            return true;
        }
    }
    return false;
}

/* A process's variables are often in two segments, one with the start of them, which came from its file. */
static bool follows(const struct memory_part *part, const struct memory_part *next) {
    return next->address == part->address + part->length &&
           next->bytes == part->bytes + part->length;
}

bool memory_next(const struct memory *memory, uint32_t *index, struct memory_part *part) {
    struct memory_part next;
    if (!memory->is_core) {
        *part = (struct memory_part){memory->address, memory->bytes, memory->length};
        return (*index)++ == 0;
    }
    if (!next_segment(memory, index, part)) {
        return false;
    }
    for (uint32_t ahead = *index; next_segment(memory, &ahead, &next) && follows(part, &next);) {
        part->length += next.length;
        *index = ahead;
    }
    return true;
}

const uint8_t *memory_at(const struct memory *memory, uint64_t address, size_t length) {
    struct memory_part part;
    for (uint32_t index = 0; memory_next(memory, &index, &part);) {
        if (address >= part.address && address - part.address <= part.length &&
            length <= part.length - (size_t)(address - part.address)) {
            return part.bytes + (address - part.address);
        }
    }
    return NULL;
}
