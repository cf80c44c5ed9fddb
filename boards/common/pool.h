/* SPDX-License-Identifier: MIT */
/* Memory in blocks of one size, from a fixed array: constant time, never fragmented. One core each. */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>
#include <stdint.h>

struct pool {
    void *free; /* a chain: each free block begins with the address of the next */
    size_t block_bytes;
};

/* Divides "memory", aligned for a pointer, into blocks. "block_bytes" is a multiple of a pointer's. */
void pool_init(struct pool *pool, void *memory, size_t block_bytes, size_t blocks);
/* A block, or NULL if no block is left or "bytes" is more than a block. */
void *pool_take(struct pool *pool, size_t bytes);
/* Gives a block of this pool back. */
void pool_give(struct pool *pool, void *block);

#endif
