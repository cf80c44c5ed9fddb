/* SPDX-License-Identifier: MIT */
/* The live allocations, by pool and address, each with a number: its size, to know how much a free releases. Compact:
 * at most 32 bytes each from some thousands on, also while it grows. Bounded: beyond LIVESET_MAX further ones are
 * refused, and counted. */
#ifndef HOSTLINK_LIVESET_H
#define HOSTLINK_LIVESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"

#define LIVESET_MAX (1u << 22)
/* A large pool is many small tables, so that only one of them at a time is there twice when it grows. */
#define LIVESET_TABLES 64u
#define LIVESET_FEW 4096u

/* In words of 32 bits, as members of 64 bits would take 24 bytes with their padding for these 20. */
struct live_block {
    uint32_t address[2], number[2]; /* low half first */
    uint32_t taken;                 /* 0 = free place */
};

struct live_table {
    struct live_block *places; /* open addressing */
    uint32_t size, used;
};

struct live_pool {
    uint32_t number;
    size_t used;
    struct live_table few;   /* up to LIVESET_FEW blocks */
    struct live_table *many; /* LIVESET_TABLES of them; NULL: none yet */
};

/* All zero is an empty set. */
struct liveset {
    struct intmap numbers; /* places in "pools", + 1 */
    struct live_pool *pools;
    uint32_t pool_count, pool_capacity;
    size_t used;
    uint64_t refused;
};

/* Adds it, or gives it another number. False: refused. */
bool liveset_add(struct liveset *set, uint32_t pool, uint64_t address, uint64_t number);
bool liveset_has(struct liveset *set, uint32_t pool, uint64_t address);
/* Its number, 0 if it is not in the set; removes it. */
uint64_t liveset_remove(struct liveset *set, uint32_t pool, uint64_t address);
/* All of a pool are another's from now on. */
void liveset_move(struct liveset *set, uint32_t from, uint32_t to);
/* All of the pool. */
void liveset_forget(struct liveset *set, uint32_t pool);
/* The number of live allocations in the pool. */
size_t liveset_count(struct liveset *set, uint32_t pool);
/* Calls "visit" for each of the pool. */
void liveset_each_of(struct liveset *set, uint32_t pool, void *context,
                     void (*visit)(void *context, uint32_t pool, uint64_t address));
/* Calls "visit" for each of all pools. */
void liveset_each(const struct liveset *set, void *context,
                  void (*visit)(void *context, uint32_t pool, uint64_t address));
/* The memory that the places take. */
size_t liveset_bytes(const struct liveset *set);
/* Forgets all but how many were refused. */
void liveset_free(struct liveset *set);

#endif
