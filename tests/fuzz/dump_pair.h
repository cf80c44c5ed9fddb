/* SPDX-License-Identifier: MIT */
/* A small program's ELF file and the memory of its board, correct in every field. */
#ifndef FUZZ_DUMP_PAIR_H
#define FUZZ_DUMP_PAIR_H

#include <stddef.h>
#include <stdint.h>

/* Writes both, the ELF file first; returns their length in all. "index" chooses the kind of ring, 32 or 64 bits, what
 * is recorded, and whether it is firmware and the bytes of its RAM, or a program that was moved and its core file. */
size_t dump_pair_make(uint32_t index, uint8_t *out, size_t size, size_t *elf_length);
/* The start of function number "index" of the program. */
uint32_t dump_pair_function(uint32_t index);

#endif
