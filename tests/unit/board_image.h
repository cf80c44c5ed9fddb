/* SPDX-License-Identifier: MIT */
/* This program as a board: its own ELF file, and its variables as they are now as a memory image. The program
 * must be linked to fixed addresses (-no-pie), as firmware is. */
#ifndef TESTS_BOARD_IMAGE_H
#define TESTS_BOARD_IMAGE_H

#include "dump/memory.h"
#include "elf/elf.h"

struct board_image {
    const char *hidden; /* a symbol that the ELF file is not to have; NULL = none */
    uint8_t *elf_bytes, *memory_bytes;
    size_t elf_length, memory_length;
    struct elf elf;
    struct memory memory; /* bytes without an address */
};

void board_image_make(struct board_image *image);
/* The address of the first byte of the memory. */
uint64_t board_image_address(void);
void board_image_free(struct board_image *image);

#endif
