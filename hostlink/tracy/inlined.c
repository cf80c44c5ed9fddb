/* SPDX-License-Identifier: MIT */
#include "tracy/inlined.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64u
#define TRIES 64u /* for an address that is free */

void tracy_inlined_free(struct tracy_inlined *inlined) {
    free(inlined->places);
    keytable_free(&inlined->files);
    intmap_free(&inlined->numbers);
    intmap_free(&inlined->symbols);
    *inlined = (struct tracy_inlined){0};
}

/* FNV-1a, 64 bits. */
static uint64_t mix(uint64_t hash, uint64_t byte) {
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

static uint64_t mix_number(uint64_t hash, uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
        hash = mix(hash, number >> shift & 0xffu);
    }
    return hash;
}

/* Hashes the names of function "number" and of the functions around it, and the lines where these call. Leaves out the
 * line of function "number", which varies. */
static uint64_t identity(const struct code_place *place, uint32_t number) {
    uint64_t hash = mix_number(UINT64_C(0xcbf29ce484222325), place->start);
    for (uint32_t i = number; i < place->count; i++) {
        for (const char *at = place->lines[i].function; *at != '\0'; at++) {
            hash = mix(hash, (uint8_t)*at);
        }
        hash = mix_number(hash, i == number ? 0 : place->lines[i].line);
    }
    return hash;
}

static bool make_room(struct tracy_inlined *inlined) {
    if (inlined->count < inlined->capacity) {
        return true;
    }
    const uint32_t capacity = inlined->capacity == 0 ? FIRST_CAPACITY : 2 * inlined->capacity;
    struct tracy_inlined_place *places = inlined->count < TRACY_INLINED_MAX
                                             ? realloc(inlined->places, capacity * sizeof *places)
                                             : NULL;
    if (places == NULL) {
        return false;
    }
    inlined->places = places;
    inlined->capacity = capacity;
    return true;
}

static bool is_free(struct tracy_inlined *inlined, const struct code_place *place,
                    uint64_t address) {
    return address > place->start && address - place->start < place->bytes &&
           intmap_get(&inlined->symbols, address) == 0;
}

/* Nothing of it is left if memory is short, but perhaps the text of its file. */
static bool add(struct tracy_inlined *inlined, uint64_t key, uint64_t address,
                const struct code_line *line) {
    const int64_t file =
        make_room(inlined) ? keytable_add(&inlined->files, line->file, strlen(line->file) + 1) : -1;
    if (file < 0 || intmap_add(&inlined->symbols, address, inlined->count + 1) != 0) {
        return false;
    }
    inlined->places[inlined->count++] =
        (struct tracy_inlined_place){address, (uint32_t)file, line->line};
    (void)intmap_add(&inlined->numbers, key,
                     inlined->count); /* without it, one more the next time */
    return true;
}

uint64_t tracy_inlined_symbol(struct tracy_inlined *inlined, const struct code_place *place,
                              uint32_t number, uint64_t address) {
    const uint64_t key = identity(place, number);
    const uint32_t known = intmap_get(&inlined->numbers, key);
    if (known != 0) {
        return inlined->places[known - 1].address;
    }
    for (uint32_t i = 0; i < TRIES; i++) {
        if (is_free(inlined, place, address + i)) {
            return add(inlined, key, address + i, &place->lines[number]) ? address + i
                                                                         : place->start;
        }
    }
    return place->start;
}

bool tracy_inlined_find(struct tracy_inlined *inlined, uint64_t symbol, struct code_line *line) {
    const uint32_t number = intmap_get(&inlined->symbols, symbol);
    if (number == 0) {
        return false;
    }
    const struct tracy_inlined_place *place = &inlined->places[number - 1];
    const struct keytable_entry *file = &inlined->files.entries[place->file];
    *line = (struct code_line){.function = "",
                               .file = (const char *)inlined->files.bytes + file->offset,
                               .line = place->line};
    return true;
}
