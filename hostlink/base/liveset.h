/* The allocations that are live, by pool and address, each with a number: its size, to know what is freed. Compact: at
 * most 32 bytes each from some thousands on, also while it grows. Bounded: beyond LIVESET_MAX
 * further ones are refused, and counted. */
#ifndef HOSTLINK_LIVESET_H
#define HOSTLINK_LIVESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVESET_MAX (1u << 22)
/* The set is many small tables, so that only one of them at a time is there twice when it grows. */
#define LIVESET_TABLES 64u

/* In words of 32 bits, as members of 64 bits would take 24 bytes with their padding for these 20. */
struct live {
    uint32_t address[2], number[2]; /* low half first */
    uint32_t pool;                  /* + 1; 0 = free place */
};

struct live_table {
    struct live *places; /* open addressing */
    uint32_t size, used;
};

/* All zero is an empty set. */
struct liveset {
    struct live_table table[LIVESET_TABLES];
    size_t used;
    uint64_t refused;
};

/* Adds it, or gives it another number. False: refused. */
bool liveset_add(struct liveset *set, uint32_t pool, uint64_t address, uint64_t number);
/* Its number, 0 if it is not in the set; removes it. */
uint64_t liveset_remove(struct liveset *set, uint32_t pool, uint64_t address);
/* Calls "visit" for each. */
void liveset_each(const struct liveset *set, void *context,
                  void (*visit)(void *context, uint32_t pool, uint64_t address));
/* The memory that the places take. */
size_t liveset_bytes(const struct liveset *set);
/* Forgets all but how many were refused. */
void liveset_free(struct liveset *set);

#endif
