/* SPDX-License-Identifier: MIT */
/* Symbols for functions that the compiler put inside others. A viewer counts samples by the symbol of the innermost
 * function, and all that have none as one; and it looks for them between the first and the last byte of the function
 * around them. So each place where one was put into another gets its own address there: the first that was sampled. */
#ifndef HOSTLINK_TRACY_INLINED_H
#define HOSTLINK_TRACY_INLINED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intmap.h"
#include "base/keytable.h"
#include "model/symbols.h"

/* Further ones count with the function around them. */
#define TRACY_INLINED_MAX 65536u

/* An inlined function as it was first seen: a copy, as the code may be unmapped when a viewer asks. */
struct tracy_inlined_place {
    uint64_t address;
    uint32_t file; /* its number */
    uint32_t line;
};

struct tracy_inlined {
    struct tracy_inlined_place *places;
    uint32_t count, capacity;
    struct keytable files;
    struct intmap numbers; /* by function and line of all that are around it: its number + 1 */
    struct intmap symbols; /* by address: the same */
};

void tracy_inlined_free(struct tracy_inlined *inlined);
/* The symbol of line "number" of the code at "address"; without one, that of the function around it. */
uint64_t tracy_inlined_symbol(struct tracy_inlined *inlined, const struct code_place *place,
                              uint32_t number, uint64_t address);
/* File and line of such a symbol; false for any other address. The text is valid until the next call. */
bool tracy_inlined_find(struct tracy_inlined *inlined, uint64_t symbol, struct code_line *line);

#endif
