#include "base/liveset.h"

#include <stdlib.h>

static size_t hash_of(uint32_t pool, uint64_t address) {
    uint64_t hash = (address ^ (uint64_t)pool << 56) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 32);
}

/* The place of the entry, or the free place where it would go. */
static struct live *find(const struct liveset *set, uint32_t pool, uint64_t address) {
    size_t at = hash_of(pool, address) & (set->size - 1);
    while (set->places[at].pool != 0 &&
           (set->places[at].pool != pool + 1 || set->places[at].address != address)) {
        at = (at + 1) & (set->size - 1);
    }
    return &set->places[at];
}

static bool grow(struct liveset *set) {
    struct liveset bigger = {.size = set->size == 0 ? 64 : set->size * 2, .used = set->used};
    bigger.places = calloc(bigger.size, sizeof *bigger.places);
    if (bigger.places == NULL) {
        return false;
    }
    for (size_t i = 0; i < set->size; i++) {
        if (set->places[i].pool != 0) {
            *find(&bigger, set->places[i].pool - 1, set->places[i].address) = set->places[i];
        }
    }
    free(set->places);
    *set = bigger;
    return true;
}

void liveset_add(struct liveset *set, uint32_t pool, uint64_t address, uint64_t bytes) {
    if (set->used >= LIVESET_MAX || (set->used * 2 >= set->size && !grow(set))) {
        return;
    }
    struct live *place = find(set, pool, address);
    set->used += place->pool == 0 ? 1 : 0;
    *place = (struct live){address, bytes, pool + 1};
}

/* Entries behind a hole move up, or they would not be found any more. */
static void close_hole(struct liveset *set, size_t hole) {
    size_t at = hole;
    for (;;) {
        at = (at + 1) & (set->size - 1);
        if (set->places[at].pool == 0) {
            break;
        }
        size_t home = hash_of(set->places[at].pool - 1, set->places[at].address) & (set->size - 1);
        if (((at - home) & (set->size - 1)) >= ((at - hole) & (set->size - 1))) {
            set->places[hole] = set->places[at];
            hole = at;
        }
    }
    set->places[hole].pool = 0;
}

uint64_t liveset_remove(struct liveset *set, uint32_t pool, uint64_t address) {
    if (set->size == 0) {
        return 0;
    }
    struct live *place = find(set, pool, address);
    if (place->pool == 0) {
        return 0;
    }
    uint64_t bytes = place->bytes;
    close_hole(set, (size_t)(place - set->places));
    set->used--;
    return bytes;
}

void liveset_free(struct liveset *set) {
    free(set->places);
    *set = (struct liveset){0};
}
