/* SPDX-License-Identifier: MIT */
/* The places of functions that are zones by themselves (FUNCTION_BEGIN): one for each address, named by the symbol
 * there. Bounded: further addresses share one place. */
#ifndef HOSTLINK_FUNCTIONS_H
#define HOSTLINK_FUNCTIONS_H

#include "base/intmap.h"
#include "model/names.h"
#include "model/symbols.h"

#define FUNCTIONS_MAX (1u << 17)

/* All zero is the start. */
struct functions {
    struct intmap numbers;         /* by address: number of the site + 1 */
    const struct symbols *symbols; /* that these are named by: each program has its own */
    struct site **sites;
    uint32_t count, capacity;
};

/* The site of the function that begins at the address; NULL: no memory. Never moves. The texts are those of "names". */
struct site *functions_site(struct functions *functions, struct names *names,
                            const struct symbols *symbols, uint64_t address);
void functions_free(struct functions *functions);

#endif
