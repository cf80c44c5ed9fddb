/* A memory image: what was at which address when it was saved. Either the bytes from one address on, or an
 * ELF core file, as gdb ("generate-core-file") and QEMU ("dump-guest-memory") write it. */
#ifndef HOSTLINK_DUMP_MEMORY_H
#define HOSTLINK_DUMP_MEMORY_H

#include <stdbool.h>

#include "elf/elf.h"

struct memory {
    const uint8_t *bytes; /* the file; the caller's */
    size_t length;
    bool is_core, is_placed; /* without an address the bytes can only be searched */
    struct elf core;
    uint64_t address; /* of the first byte, where it is no core file */
};

/* 0, or -EINVAL with *why set: it begins as an ELF file but cannot be read as a core file. */
int memory_open(struct memory *memory, const uint8_t *bytes, size_t length, const char **why);
/* Says where the first byte of a raw image was. */
void memory_place(struct memory *memory, uint64_t address);
/* "length" bytes from an address on, NULL if they are not all in the image. */
const uint8_t *memory_at(const struct memory *memory, uint64_t address, size_t length);

#endif
