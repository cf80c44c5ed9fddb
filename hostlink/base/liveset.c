#include "base/liveset.h"

#include <stdlib.h>

/* At most four fifths are used, and at least 16 in 25 of a table that has just grown by a quarter:
 * 20 bytes a place are 25 to 31.25 for each that is used. */
#define FIRST_SIZE 8u

static uint64_t hash_of(uint32_t pool, uint64_t address) {
    uint64_t hash = (address ^ (uint64_t)pool << 40) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static struct live_table *table_of(struct liveset *set, uint64_t hash) {
    return &set->table[hash % LIVESET_TABLES];
}

/* From the high half of the hash, as its low bits have chosen the table; scaled, as sizes are no
 * powers of two. */
static uint32_t home_of(const struct live_table *table, uint64_t hash) {
    return (uint32_t)((hash >> 32) * table->size >> 32);
}

static uint32_t after(const struct live_table *table, uint32_t at) {
    return at + 1 == table->size ? 0 : at + 1;
}

static uint32_t distance(const struct live_table *table, uint32_t from, uint32_t to) {
    return to >= from ? to - from : to + table->size - from;
}

static uint64_t joined(const uint32_t half[2]) { return half[0] | (uint64_t)half[1] << 32; }

/* The place of the entry, or the free place where it would go. */
static struct live *find(const struct live_table *table, uint64_t hash, uint32_t pool,
                         uint64_t address) {
    uint32_t at = home_of(table, hash);
    for (;;) {
        struct live *place = &table->places[at];
        if (place->pool == 0 || (place->pool == pool + 1 && joined(place->address) == address)) {
            return place;
        }
        at = after(table, at);
    }
}

static bool grow(struct live_table *table) {
    struct live_table bigger = {.size = table->size + table->size / 4, .used = table->used};
    bigger.size = bigger.size < FIRST_SIZE ? FIRST_SIZE : bigger.size;
    bigger.places = calloc(bigger.size, sizeof *bigger.places);
    if (bigger.places == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < table->size; i++) {
        const struct live *old = &table->places[i];
        if (old->pool != 0) {
            uint64_t address = joined(old->address);
            *find(&bigger, hash_of(old->pool - 1, address), old->pool - 1, address) = *old;
        }
    }
    free(table->places);
    *table = bigger;
    return true;
}

static bool is_full(const struct live_table *table) {
    return (uint64_t)table->used * 5 >= (uint64_t)table->size * 4;
}

bool liveset_add(struct liveset *set, uint32_t pool, uint64_t address, uint64_t number) {
    uint64_t hash = hash_of(pool, address);
    struct live_table *table = table_of(set, hash);
    if (set->used >= LIVESET_MAX || (is_full(table) && !grow(table))) {
        set->refused++;
        return false;
    }
    struct live *place = find(table, hash, pool, address);
    table->used += place->pool == 0 ? 1 : 0;
    set->used += place->pool == 0 ? 1 : 0;
    *place = (struct live){.address = {(uint32_t)address, (uint32_t)(address >> 32)},
                           .number = {(uint32_t)number, (uint32_t)(number >> 32)},
                           .pool = pool + 1};
    return true;
}

/* Entries behind a hole move up, or they would not be found any more. */
static void close_hole(struct live_table *table, uint32_t hole) {
    uint32_t at = hole;
    for (;;) {
        at = after(table, at);
        const struct live *place = &table->places[at];
        if (place->pool == 0) {
            break;
        }
        uint32_t home = home_of(table, hash_of(place->pool - 1, joined(place->address)));
        if (distance(table, home, at) >= distance(table, hole, at)) {
            table->places[hole] = *place;
            hole = at;
        }
    }
    table->places[hole].pool = 0;
}

uint64_t liveset_remove(struct liveset *set, uint32_t pool, uint64_t address) {
    uint64_t hash = hash_of(pool, address);
    struct live_table *table = table_of(set, hash);
    if (table->used == 0) {
        return 0;
    }
    struct live *place = find(table, hash, pool, address);
    if (place->pool == 0) {
        return 0;
    }
    uint64_t number = joined(place->number);
    close_hole(table, (uint32_t)(place - table->places));
    table->used--;
    set->used--;
    return number;
}

void liveset_each(const struct liveset *set, void *context,
                  void (*visit)(void *context, uint32_t pool, uint64_t address)) {
    for (size_t i = 0; i < LIVESET_TABLES; i++) {
        for (uint32_t k = 0; k < set->table[i].size; k++) {
            const struct live *place = &set->table[i].places[k];
            if (place->pool != 0) {
                visit(context, place->pool - 1, joined(place->address));
            }
        }
    }
}

size_t liveset_bytes(const struct liveset *set) {
    size_t places = 0;
    for (size_t i = 0; i < LIVESET_TABLES; i++) {
        places += set->table[i].size;
    }
    return places * sizeof(struct live);
}

void liveset_free(struct liveset *set) {
    for (size_t i = 0; i < LIVESET_TABLES; i++) {
        free(set->table[i].places);
    }
    *set = (struct liveset){.refused = set->refused};
}
