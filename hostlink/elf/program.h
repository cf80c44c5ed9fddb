/* SPDX-License-Identifier: MIT */
/* Facts of an image's build: its kernel, kymo's share of it, the compiler's options. */
#ifndef HOSTLINK_PROGRAM_H
#define HOSTLINK_PROGRAM_H

#include "elf/elf.h"

/* The kernel that is linked, or NULL. "told": kymo's port for it is linked too. */
const char *program_kernel(const struct elf *elf, bool *told);

struct program_share {
    uint64_t code, constants, variables; /* bytes; sites are not among them */
};
/* Symbols with kymo's names, and functions between two of kymo's. 0 or -ENOMEM. */
int program_share(const struct elf *elf, struct program_share *share);

struct program_options {
    unsigned sets, unoptimised; /* different sets of gcc's options; those without optimisation */
};
/* From debug information that is not compressed; else all 0. */
void program_options(const struct elf *elf, struct program_options *options);

#endif
