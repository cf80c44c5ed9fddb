/* SPDX-License-Identifier: MIT */
#include "pool.h"

void pool_init(struct pool *pool, void *memory, size_t block_bytes, size_t blocks) {
    unsigned char *block = memory;
    pool->free = NULL;
    pool->block_bytes = block_bytes;
    for (size_t i = 0u; i < blocks; i++, block += block_bytes) {
        pool_give(pool, block);
    }
}

void *pool_take(struct pool *pool, size_t bytes) {
    void *block = pool->free;
    if (block == NULL || bytes > pool->block_bytes) {
        return NULL;
    }
    pool->free = *(void **)block;
    return block;
}

void pool_give(struct pool *pool, void *block) {
    *(void **)block = pool->free;
    pool->free = block;
}
