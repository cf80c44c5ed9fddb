/* SPDX-License-Identifier: MIT */
/* The table of sites in an ELF file, whether it is in the memory of the board or not (runtime/MEMORY.md,
 * section 2). */
#ifndef HOSTLINK_SITES_H
#define HOSTLINK_SITES_H

#include "elf/elf.h"
#include "kymo/memory.h"
#include "wire/site_entry.h"

#define SITES_WHY_BYTES 400u

struct sites {
    const struct elf *elf;
    struct kymo_layout layout;
    uint64_t layout_at;        /* of kymo_layout */
    uint64_t start, stop;      /* addresses of the table */
    struct elf_area table;     /* the section that it is in */
    struct elf_area text;      /* with names_in_elf: of its strings */
    uint32_t identity;         /* with names_in_elf: of the image */
    char why[SITES_WHY_BYTES]; /* after a failed open */
};

/* A position-independent program has the numbers of its sites only. 0, or -EINVAL with sites->why set: a sentence
 * that follows the file's name. The ELF file must outlive it. */
int sites_open(struct sites *sites, const struct elf *elf);
uint32_t sites_count(const struct sites *sites);
/* Strings are bytes of the file; empty if there is no such site. */
void sites_get(const struct sites *sites, uint32_t index, struct site_entry *entry);
/* Reads the fields of a site other than strings from its bytes. */
void sites_numbers(const uint8_t *site, size_t pointer_bytes, struct site_entry *entry);

#endif
