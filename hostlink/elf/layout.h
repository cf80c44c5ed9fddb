/* SPDX-License-Identifier: MIT */
/* The recorder's layout in an image: the constant kymo_layout (runtime/MEMORY.md, section 1). */
#ifndef HOSTLINK_LAYOUT_H
#define HOSTLINK_LAYOUT_H

#include "elf/elf.h"
#include "kymo/memory.h"

/* Finds it, with its address, and checks it. 0, or -EINVAL with a sentence in "why" that follows the file's name. */
int layout_find(struct kymo_layout *layout, uint64_t *address, const struct elf *elf, char *why,
                size_t size);
/* False: no table of sites begins and ends at these addresses. */
bool layout_may_have_sites(const struct kymo_layout *layout, uint64_t start, uint64_t stop);

#endif
