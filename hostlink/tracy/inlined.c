#include "tracy/inlined.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64u
#define TRIES 64u /* for an address that is free */

void tracy_inlined_free(struct tracy_inlined *inlined) {
    free(inlined->lines);
    free(inlined->addresses);
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

/* Of those around it also the line that calls it; of itself the line is that of the moment. */
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

static bool grow(struct tracy_inlined *inlined) {
    const uint32_t capacity = inlined->capacity == 0 ? FIRST_CAPACITY : 2 * inlined->capacity;
    struct code_line *lines = realloc(inlined->lines, capacity * sizeof *lines);
    inlined->lines = lines != NULL ? lines : inlined->lines;
    uint64_t *addresses = realloc(inlined->addresses, capacity * sizeof *addresses);
    inlined->addresses = addresses != NULL ? addresses : inlined->addresses;
    inlined->capacity = lines != NULL && addresses != NULL ? capacity : inlined->capacity;
    return inlined->count < inlined->capacity;
}

static bool is_free(struct tracy_inlined *inlined, const struct code_place *place,
                    uint64_t address) {
    return address > place->start && address - place->start < place->bytes &&
           intmap_get(&inlined->symbols, address) == 0;
}

uint64_t tracy_inlined_symbol(struct tracy_inlined *inlined, const struct code_place *place,
                              uint32_t number, uint64_t address) {
    const uint64_t key = identity(place, number);
    const uint32_t known = intmap_get(&inlined->numbers, key);
    if (known != 0) {
        return inlined->addresses[known - 1];
    }
    const uint64_t end = address + TRIES;
    while (address < end && !is_free(inlined, place, address)) {
        address++;
    }
    if (address == end || inlined->count == TRACY_INLINED_MAX ||
        (inlined->count == inlined->capacity && !grow(inlined)) ||
        intmap_add(&inlined->numbers, key, inlined->count + 1) != 0) {
        return place->start;
    }
    inlined->lines[inlined->count] = place->lines[number];
    inlined->addresses[inlined->count] = address;
    inlined->count++;
    (void)intmap_add(&inlined->symbols, address, inlined->count); /* without it it has no line */
    return address;
}

const struct code_line *tracy_inlined_find(struct tracy_inlined *inlined, uint64_t symbol) {
    const uint32_t number = intmap_get(&inlined->symbols, symbol);
    return number != 0 ? &inlined->lines[number - 1] : NULL;
}
