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

enum start_data {
    START_DATA_IN_PLACE, /* nothing is copied: it is loaded to where the program sees it */
    START_DATA_RIGHT,    /* the start-up code's symbol has the address that the linker chose */
    START_DATA_UNKNOWN,  /* no symbol is known by its name */
    START_DATA_WRONG     /* the symbol has another address */
};

struct start_data_found {
    uint64_t linked;    /* address (LMA) of the initial values of .data */
    uint64_t region;    /* of the first ones of its segment */
    uint64_t copied;    /* value of the symbol */
    const char *symbol; /* where it is known */
};

enum start_data start_data_look(const struct elf *elf, struct start_data_found *found);
/* The sites follow constants that are copied to RAM, and nothing copies the sites. */
bool start_data_sites_lost(const struct elf *elf);

#endif
