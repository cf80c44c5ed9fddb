#include "dump/memory.h"

#include <errno.h>

int memory_open(struct memory *memory, const uint8_t *bytes, size_t length, const char **why) {
    *memory = (struct memory){.bytes = bytes, .length = length};
    if (!elf_is(bytes, length)) {
        return 0;
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

static const uint8_t *part(const uint8_t *bytes, uint64_t length, uint64_t offset, size_t wanted) {
    return offset <= length && wanted <= length - offset ? bytes + offset : NULL;
}

const uint8_t *memory_at(const struct memory *memory, uint64_t address, size_t length) {
    struct elf_segment segment;
    if (!memory->is_core) {
        return address < memory->address
                   ? NULL
                   : part(memory->bytes, memory->length, address - memory->address, length);
    }
    for (uint32_t i = 0; i < memory->core.segment_count; i++) {
        if (elf_segment(&memory->core, i, &segment) && address >= address_of(&segment)) {
            const uint8_t *found = part(segment.content, segment.content_bytes,
                                        address - address_of(&segment), length);
            if (found) {
                return found;
            }
        }
    }
    return NULL;
}
