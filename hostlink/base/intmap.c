/* SPDX-License-Identifier: MIT */
#include "base/intmap.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_BITS 5u

static void place(struct intmap *map, uint64_t key, uint32_t value) {
    size_t mask = ((size_t)1 << map->bits) - 1, at = intmap_home(map, key);
    while (map->slots[at].value != 0) {
        at = (at + 1) & mask;
    }
    map->slots[at] = (struct intmap_slot){key, value};
    map->used++;
}

static int grow(struct intmap *map) {
    struct intmap bigger = {.bits = map->slots ? map->bits + 1 : FIRST_BITS, .steps = map->steps};
    bigger.slots = calloc((size_t)1 << bigger.bits, sizeof *bigger.slots);
    if (!bigger.slots) {
        return -ENOMEM;
    }
    for (size_t i = 0; map->slots && i < (size_t)1 << map->bits; i++) {
        if (map->slots[i].value != 0) {
            place(&bigger, map->slots[i].key, map->slots[i].value);
        }
    }
    free(map->slots);
    *map = bigger;
    return 0;
}

int intmap_add(struct intmap *map, uint64_t key, uint32_t value) {
    if (!map->slots || map->used * 2 >= (size_t)1 << map->bits) {
        int error = grow(map);
        if (error) {
            return error;
        }
    }
    place(map, key, value);
    return 0;
}

void intmap_free(struct intmap *map) {
    free(map->slots);
    *map = (struct intmap){0};
}
