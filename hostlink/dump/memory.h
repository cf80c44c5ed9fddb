/* SPDX-License-Identifier: MIT */
/* A memory image: bytes with their addresses when it was saved. Either the bytes from one address on, or an ELF core
 * file, as gdb ("generate-core-file"), QEMU ("dump-guest-memory") and Linux write it. */
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

/* 0, or -EINVAL with *why set: it begins as an ELF file but cannot be read as a core file, or it is text. */
int memory_open(struct memory *memory, const uint8_t *bytes, size_t length, const char **why);
/* Sets the address of the first byte of a raw image. */
void memory_place(struct memory *memory, uint64_t address);

/* Bytes that the file holds without a gap. The address is that of the first byte; 0 if unknown. */
struct memory_part {
    uint64_t address;
    const uint8_t *bytes;
    size_t length;
};

/* The next part, from *index on, which begins at 0. False: there is no more. */
bool memory_next(const struct memory *memory, uint32_t *index, struct memory_part *part);
/* "length" bytes from an address on, NULL if they are not all in the image. */
const uint8_t *memory_at(const struct memory *memory, uint64_t address, size_t length);

#endif
