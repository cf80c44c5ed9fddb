/* SPDX-License-Identifier: MIT */
/* Numbers keys in the order in which they first appear: 0, 1, 2 ... A key is any bytes. */
#ifndef HOSTLINK_KEYTABLE_H
#define HOSTLINK_KEYTABLE_H

#include <stddef.h>
#include <stdint.h>

struct keytable_entry {
    uint64_t hash;
    size_t offset, length; /* of the key in "bytes" */
};

/* All zero is an empty table. */
struct keytable {
    struct keytable_entry *entries;
    uint32_t count, capacity;
    uint32_t *slots; /* number + 1 of an entry, 0 = free; a power of two of them */
    uint32_t slot_count;
    unsigned char *bytes;
    size_t bytes_used, bytes_size;
};

/* The key's number, a new one if it was not there yet; -ENOMEM when memory is short. */
int64_t keytable_add(struct keytable *table, const void *key, size_t length);
/* The same of a key that is there; -1 if it is not. */
int64_t keytable_find(const struct keytable *table, const void *key, size_t length);

void keytable_free(struct keytable *table);

#endif
