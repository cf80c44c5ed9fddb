/* The allocations that are live, by pool and address, to know the size of what is freed. Bounded:
 * beyond LIVESET_MAX the sizes of further ones are not known. */
#ifndef HOSTLINK_LIVESET_H
#define HOSTLINK_LIVESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVESET_MAX (1u << 20)

struct live {
    uint64_t address, bytes;
    uint32_t pool; /* + 1; 0 = free place */
};

/* All zero is an empty set. */
struct liveset {
    struct live *places; /* a power of two of them, open addressing */
    size_t size, used;
};

void liveset_add(struct liveset *set, uint32_t pool, uint64_t address, uint64_t bytes);
/* Its size, 0 if it is not in the set; removes it. */
uint64_t liveset_remove(struct liveset *set, uint32_t pool, uint64_t address);
void liveset_free(struct liveset *set);

#endif
