/* SPDX-License-Identifier: MIT */
/* Lists that grow: at least to twice their size, so that an element costs the same however many there are. */
#ifndef HOSTLINK_GROW_H
#define HOSTLINK_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool grow_list(void *list, uint32_t *capacity, uint64_t index, size_t size, bool zeroed);

/* Makes room for element "index". "list" is the address of the pointer to the first of *capacity elements of "size"
 * bytes, which moves. False: no memory, and nothing has changed. */
static inline bool grow(void *list, uint32_t *capacity, uint64_t index, size_t size) {
    return index < *capacity || grow_list(list, capacity, index, size, false);
}

/* The same; new elements are zero. */
static inline bool grow_zeroed(void *list, uint32_t *capacity, uint64_t index, size_t size) {
    return index < *capacity || grow_list(list, capacity, index, size, true);
}

#endif
