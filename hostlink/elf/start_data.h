/* SPDX-License-Identifier: MIT */
/* Compares where a linker script puts the initial values of variables with where the start-up code reads them. */
#ifndef HOSTLINK_START_DATA_H
#define HOSTLINK_START_DATA_H

#include "elf/elf.h"

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
