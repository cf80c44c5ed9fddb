/* SPDX-License-Identifier: MIT */
#include "base/keytable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a with a final mix, so that the low bits that choose the slot depend on all of the key. */
static uint64_t hash_of(const void *key, size_t length) {
    const unsigned char *bytes = key;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    hash ^= hash >> 32;
    return hash;
}

static int grow_entries(struct keytable *table) {
    uint32_t capacity = table->capacity ? table->capacity * 2 : 16;
    if (capacity > UINT32_MAX / 4) {
        return -ENOMEM;
    }
    struct keytable_entry *entries = realloc(table->entries, capacity * sizeof *entries);
    if (!entries) {
        return -ENOMEM;
    }
    table->entries = entries;
    /* Twice as many slots as entries keeps the walks short. */
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (!slots) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        size_t at = entries[i].hash & (capacity * 2 - 1);
        while (slots[at]) {
            at = (at + 1) & (capacity * 2 - 1);
        }
        slots[at] = i + 1;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = capacity * 2;
    table->capacity = capacity;
    return 0;
}

static int store_key(struct keytable *table, const void *key, size_t length) {
    if (table->bytes_size - table->bytes_used < length) {
        size_t size = table->bytes_size * 2 + length + 64;
        unsigned char *bytes = size > length ? realloc(table->bytes, size) : NULL;
        if (!bytes) {
            return -ENOMEM;
        }
        table->bytes = bytes;
        table->bytes_size = size;
    }
    if (length > 0) {
        memcpy(table->bytes + table->bytes_used, key, length);
    }
    table->bytes_used += length;
    return 0;
}

/* The slot that holds the key, or the free one where it belongs. */
static uint32_t *find(const struct keytable *table, uint64_t hash, const void *key, size_t length) {
    size_t at = hash & (table->slot_count - 1);
    while (table->slots[at]) {
        const struct keytable_entry *entry = &table->entries[table->slots[at] - 1];
        if (entry->hash == hash && entry->length == length &&
            (length == 0 || memcmp(table->bytes + entry->offset, key, length) == 0)) {
            break;
        }
        at = (at + 1) & (table->slot_count - 1);
    }
    return &table->slots[at];
}

int64_t keytable_add(struct keytable *table, const void *key, size_t length) {
    uint64_t hash = hash_of(key, length);
    if (table->count == table->capacity) {
        int error = grow_entries(table);
        if (error) {
            return error;
        }
    }
    uint32_t *slot = find(table, hash, key, length);
    if (*slot) {
        return *slot - 1;
    }
    size_t offset = table->bytes_used;
    int error = store_key(table, key, length);
    if (error) {
        return error;
    }
    table->entries[table->count] = (struct keytable_entry){hash, offset, length};
    *slot = ++table->count;
    return *slot - 1;
}

int64_t keytable_find(const struct keytable *table, const void *key, size_t length) {
    return table->count == 0 ? -1 : (int64_t)*find(table, hash_of(key, length), key, length) - 1;
}

void keytable_free(struct keytable *table) {
    free(table->entries);
    free(table->slots);
    free(table->bytes);
    *table = (struct keytable){0};
}
