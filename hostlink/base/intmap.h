/* SPDX-License-Identifier: MIT */
/* A table from 64-bit keys, for example pointers, to numbers above 0. The cost of a look-up does not grow with the
 * number of keys. */
#ifndef HOSTLINK_INTMAP_H
#define HOSTLINK_INTMAP_H

#include <stddef.h>
#include <stdint.h>

struct intmap_slot {
    uint64_t key;
    uint32_t value; /* 0 = free */
};

/* All zero is an empty table. */
struct intmap {
    struct intmap_slot *slots; /* 1 << bits of them, at least half of them free */
    unsigned bits;
    size_t used;
    uint64_t steps; /* slots that look-ups have passed over, to test for how evenly keys spread */
};

/* Two rounds of multiply and shift: one alone leaves rows of keys with some strides in heaps. */
static inline size_t intmap_home(const struct intmap *map, uint64_t key) {
    key = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(((key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9)) >> (64u - map->bits));
}

/* The value of the key, 0 if it is not in the map. */
static inline uint32_t intmap_get(struct intmap *map, uint64_t key) {
    if (map->used == 0) {
        return 0;
    }
    size_t mask = ((size_t)1 << map->bits) - 1, at = intmap_home(map, key);
    while (map->slots[at].value != 0 && map->slots[at].key != key) {
        at = (at + 1) & mask;
        map->steps++;
    }
    return map->slots[at].value;
}

/* Adds a key that is not in the map yet. 0 or -ENOMEM. */
int intmap_add(struct intmap *map, uint64_t key, uint32_t value);
/* Forgets all keys. */
void intmap_free(struct intmap *map);

#endif
