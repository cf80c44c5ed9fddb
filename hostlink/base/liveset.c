/* SPDX-License-Identifier: MIT */
#include "base/liveset.h"

#include <stdlib.h>

#include "base/grow.h"

/* At most four fifths are used, and at least 16 in 25 of a table that has just grown by a quarter:
 * 20 bytes a place are 25 to 31.25 for each that is used. */
#define FIRST_SIZE 8u

static uint64_t hash_of(uint64_t address) {
    uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static struct live_table *table_of(struct live_pool *pool, uint64_t hash) {
    return pool->many == NULL ? &pool->few : &pool->many[hash % LIVESET_TABLES];
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
static struct live_block *find(const struct live_table *table, uint64_t hash, uint64_t address) {
    uint32_t at = home_of(table, hash);
    for (;;) {
        struct live_block *place = &table->places[at];
        if (place->taken == 0 || joined(place->address) == address) {
            return place;
        }
        at = after(table, at);
    }
}

static bool grow_table(struct live_table *table) {
    struct live_table bigger = {.size = table->size + table->size / 4, .used = table->used};
    bigger.size = bigger.size < FIRST_SIZE ? FIRST_SIZE : bigger.size;
    bigger.places = calloc(bigger.size, sizeof *bigger.places);
    if (bigger.places == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < table->size; i++) {
        const struct live_block *old = &table->places[i];
        if (old->taken != 0) {
            const uint64_t address = joined(old->address);
            *find(&bigger, hash_of(address), address) = *old;
        }
    }
    free(table->places);
    *table = bigger;
    return true;
}

static bool is_full(const struct live_table *table) {
    return (uint64_t)table->used * 5 >= (uint64_t)table->size * 4;
}

static bool has_room(struct live_table *table) { return !is_full(table) || grow_table(table); }

static void free_tables(struct live_table *tables) {
    for (size_t i = 0; i < LIVESET_TABLES; i++) {
        free(tables[i].places);
    }
    free(tables);
}

/* Moves the few blocks of a pool to many tables. */
static bool split(struct live_pool *pool) {
    struct live_pool bigger = *pool;
    bigger.many = calloc(LIVESET_TABLES, sizeof *bigger.many);
    if (bigger.many == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < pool->few.size; i++) {
        const struct live_block *old = &pool->few.places[i];
        if (old->taken == 0) {
            continue;
        }
        const uint64_t address = joined(old->address), hash = hash_of(address);
        struct live_table *table = table_of(&bigger, hash);
        if (!has_room(table)) {
            free_tables(bigger.many);
            return false;
        }
        *find(table, hash, address) = *old;
        table->used++;
    }
    free(pool->few.places);
    bigger.few = (struct live_table){0};
    *pool = bigger;
    return true;
}

static struct live_pool *find_pool(struct liveset *set, uint32_t number) {
    const uint32_t place = intmap_get(&set->numbers, number);
    return place != 0 ? &set->pools[place - 1] : NULL;
}

static struct live_pool *make_pool(struct liveset *set, uint32_t number) {
    if (!grow(&set->pools, &set->pool_capacity, set->pool_count, sizeof *set->pools)) {
        return NULL;
    }
    if (intmap_add(&set->numbers, number, set->pool_count + 1) != 0) {
        return NULL;
    }
    set->pools[set->pool_count] = (struct live_pool){.number = number};
    return &set->pools[set->pool_count++];
}

/* The table where the address goes, with room for it. NULL: no memory. */
static struct live_table *table_for(struct live_pool *pool, uint64_t hash) {
    if (pool->many == NULL && pool->used >= LIVESET_FEW && !split(pool)) {
        return NULL;
    }
    struct live_table *table = table_of(pool, hash);
    return has_room(table) ? table : NULL;
}

bool liveset_add(struct liveset *set, uint32_t number_of_pool, uint64_t address, uint64_t number) {
    const uint64_t hash = hash_of(address);
    struct live_pool *pool = find_pool(set, number_of_pool);
    pool = pool != NULL ? pool : make_pool(set, number_of_pool);
    struct live_table *table =
        set->used < LIVESET_MAX && pool != NULL ? table_for(pool, hash) : NULL;
    if (table == NULL) {
        set->refused++;
        return false;
    }
    struct live_block *place = find(table, hash, address);
    const uint32_t more = place->taken == 0 ? 1 : 0;
    table->used += more;
    pool->used += more;
    set->used += more;
    *place = (struct live_block){.address = {(uint32_t)address, (uint32_t)(address >> 32)},
                                 .number = {(uint32_t)number, (uint32_t)(number >> 32)},
                                 .taken = 1};
    return true;
}

/* Moves up the entries after a hole, or they would not be found any more. */
static void close_hole(struct live_table *table, uint32_t hole) {
    uint32_t at = hole;
    for (;;) {
        at = after(table, at);
        const struct live_block *place = &table->places[at];
        if (place->taken == 0) {
            break;
        }
        uint32_t home = home_of(table, hash_of(joined(place->address)));
        if (distance(table, home, at) >= distance(table, hole, at)) {
            table->places[hole] = *place;
            hole = at;
        }
    }
    table->places[hole].taken = 0;
}

static void release(struct live_pool *pool) {
    free(pool->few.places);
    if (pool->many != NULL) {
        free_tables(pool->many);
    }
    *pool = (struct live_pool){.number = pool->number};
}

/* Places that an empty pool keeps: a walk over more would take longer than the blocks that have been there. */
#define EMPTY_PLACES_MAX 64u

bool liveset_has(struct liveset *set, uint32_t number_of_pool, uint64_t address) {
    const uint64_t hash = hash_of(address);
    struct live_pool *pool = find_pool(set, number_of_pool);
    struct live_table *table = pool != NULL ? table_of(pool, hash) : NULL;
    return table != NULL && table->used != 0 && find(table, hash, address)->taken != 0;
}

uint64_t liveset_remove(struct liveset *set, uint32_t number_of_pool, uint64_t address) {
    const uint64_t hash = hash_of(address);
    struct live_pool *pool = find_pool(set, number_of_pool);
    struct live_table *table = pool != NULL ? table_of(pool, hash) : NULL;
    if (table == NULL || table->used == 0) {
        return 0;
    }
    struct live_block *place = find(table, hash, address);
    if (place->taken == 0) {
        return 0;
    }
    const uint64_t number = joined(place->number);
    close_hole(table, (uint32_t)(place - table->places));
    table->used--;
    pool->used--;
    set->used--;
    if (pool->used == 0 && (pool->many != NULL || pool->few.size > EMPTY_PLACES_MAX)) {
        release(pool);
    }
    return number;
}

size_t liveset_count(struct liveset *set, uint32_t pool) {
    const struct live_pool *found = find_pool(set, pool);
    return found != NULL ? found->used : 0;
}

/* The tables of a pool, one after the other; NULL after the last. */
static const struct live_table *next_table(const struct live_pool *pool, size_t i) {
    if (pool->many == NULL) {
        return i == 0 ? &pool->few : NULL;
    }
    return i < LIVESET_TABLES ? &pool->many[i] : NULL;
}

static void visit_pool(const struct live_pool *pool, void *context,
                       void (*visit)(void *context, uint32_t pool, uint64_t address)) {
    const struct live_table *table;
    for (size_t i = 0; (table = next_table(pool, i)) != NULL; i++) {
        for (uint32_t k = 0; k < table->size; k++) {
            if (table->places[k].taken != 0) {
                visit(context, pool->number, joined(table->places[k].address));
            }
        }
    }
}

void liveset_each_of(struct liveset *set, uint32_t pool, void *context,
                     void (*visit)(void *context, uint32_t pool, uint64_t address)) {
    const struct live_pool *found = find_pool(set, pool);
    if (found != NULL && found->used != 0) {
        visit_pool(found, context, visit);
    }
}

void liveset_each(const struct liveset *set, void *context,
                  void (*visit)(void *context, uint32_t pool, uint64_t address)) {
    for (uint32_t i = 0; i < set->pool_count; i++) {
        visit_pool(&set->pools[i], context, visit);
    }
}

void liveset_forget(struct liveset *set, uint32_t number) {
    struct live_pool *pool = find_pool(set, number);
    if (pool != NULL) {
        set->used -= pool->used;
        release(pool);
    }
}

static void add_all(struct liveset *set, uint32_t to, const struct live_table *table) {
    for (uint32_t i = 0; i < table->size; i++) {
        const struct live_block *place = &table->places[i];
        if (place->taken != 0) {
            (void)liveset_add(set, to, joined(place->address), joined(place->number));
        }
    }
}

void liveset_move(struct liveset *set, uint32_t from, uint32_t to) {
    struct live_pool *pool = find_pool(set, from);
    if (pool == NULL || pool->used == 0 || from == to) {
        return;
    }
    struct live_pool moved = *pool;
    const struct live_table *table;
    *pool = (struct live_pool){.number = from};
    set->used -= moved.used;
    for (size_t i = 0; (table = next_table(&moved, i)) != NULL; i++) {
        add_all(set, to, table);
    }
    release(&moved);
}

size_t liveset_bytes(const struct liveset *set) {
    size_t places = 0;
    for (uint32_t i = 0; i < set->pool_count; i++) {
        const struct live_table *table;
        for (size_t k = 0; (table = next_table(&set->pools[i], k)) != NULL; k++) {
            places += table->size;
        }
    }
    return places * sizeof(struct live_block);
}

void liveset_free(struct liveset *set) {
    for (uint32_t i = 0; i < set->pool_count; i++) {
        release(&set->pools[i]);
    }
    free(set->pools);
    intmap_free(&set->numbers);
    *set = (struct liveset){.refused = set->refused};
}
