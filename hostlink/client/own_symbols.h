/* The functions of this process by their addresses, from the tables of symbols of the program and of the libraries that
 * it has loaded. Files and lines are not looked for. */
#ifndef KYMO_CLIENT_OWN_SYMBOLS_H
#define KYMO_CLIENT_OWN_SYMBOLS_H

#include "elf/functions.h"
#include "model/code_table.h"
#include "model/symbols.h"

#define OWN_OBJECTS_MAX 64u

/* A file that is mapped as long as this is used: names point into it. */
struct own_object {
    char *path;
    uint64_t bias; /* added to the file's addresses */
    const uint8_t *bytes;
    size_t length;
    struct elf_functions functions;
};

/* All zero knows nothing yet. */
struct own_symbols {
    struct own_object objects[OWN_OBJECTS_MAX];
    size_t count;
    struct code_table table;
};

/* Of a return address; NULL = nothing is known of it. For struct symbols; "state" is a struct own_symbols. */
const struct code_place *own_symbols_find(void *state, uint64_t address);
void own_symbols_free(struct own_symbols *symbols);

#endif
