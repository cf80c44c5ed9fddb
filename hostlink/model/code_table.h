/* SPDX-License-Identifier: MIT */
/* Places by their addresses, as they become known. Bounded: further ones are refused, and counted. */
#ifndef HOSTLINK_CODE_TABLE_H
#define HOSTLINK_CODE_TABLE_H

#include <stdbool.h>

#include "base/intmap.h"
#include "base/keytable.h"
#include "model/symbols.h"

#define CODE_PLACES_MAX (1u << 17)
#define CODE_LINES_MAX 32u        /* of one place */
#define CODE_TEXT_BYTES_MAX 1024u /* of a name, with its NUL */

struct code_entry {
    uint64_t address;
    struct code_place *place; /* NULL: it was looked for, and nothing is known */
};

/* A program as its SESSION packets describe it; all zero: any program. */
struct code_program {
    uint32_t sites;
    uint32_t pointer_bytes;
    uint64_t identity; /* + 1, 0: its names are in memory */
};
static inline bool code_program_is(const struct code_program *a, const struct code_program *b) {
    return a->sites == b->sites && a->pointer_bytes == b->pointer_bytes &&
           a->identity == b->identity;
}

/* All zero is an empty table. */
struct code_table {
    struct intmap numbers; /* by address: number of the entry + 1 */
    struct code_entry *entries;
    uint32_t count, capacity;
    uint64_t refused;
    struct keytable text_numbers;
    char **texts;
    uint32_t text_capacity;
    struct code_program of;
};

/* NULL: it was never looked for. */
const struct code_entry *code_table_find(struct code_table *table, uint64_t address);
/* A copy of the place, with at most CODE_LINES_MAX lines and texts cleaned and cut; "place" NULL = nothing is known of
 * it. NULL: refused, or memory is short. */
const struct code_entry *code_table_add(struct code_table *table, uint64_t address,
                                        const struct code_place *place);
void code_table_free(struct code_table *table);

#endif
