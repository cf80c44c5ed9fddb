/* SPDX-License-Identifier: MIT */
/* The functions of this process by their addresses, with files and lines where the program or the library that has them
 * was compiled with -g: by the machine's own llvm-symbolizer or addr2line, else from the tables of symbols. */
#ifndef KYMO_CLIENT_OWN_SYMBOLS_H
#define KYMO_CLIENT_OWN_SYMBOLS_H

#include "elf/elf.h"
#include "model/code_table.h"
#include "model/symbols.h"
#include "symbol/symbolizer.h"

#define OWN_OBJECTS_MAX 64u

/* A file that is mapped as long as this is used: names point into it. */
struct own_object {
    char *path;    /* of a program, where it is */
    uint64_t bias; /* added to the file's addresses */
    const uint8_t *bytes;
    size_t length;
    struct elf elf;
    struct symbolizer *symbolizer; /* NULL: the file cannot be read */
};

/* The start is all zero, except the caller's settings. */
struct own_symbols {
    const char *program;   /* NULL: the first one found; "none": none */
    struct tool_host host; /* with a meanwhile(); without a start(): only names of functions */
    void (*warn)(void *context, const char *text);
    void *context;

    struct own_object objects[OWN_OBJECTS_MAX];
    size_t count;
    struct code_table table;
};

/* For struct symbols; "state" is a struct own_symbols. */
const struct code_place *own_symbols_find(void *state, uint64_t address);
/* Takes some 2 ms, if no program is to be started and no file to be read. */
bool own_symbols_are_ready(void *state, uint64_t address);
const uint8_t *own_symbols_code(void *state, uint64_t start, uint64_t bytes);
void own_symbols_free(struct own_symbols *symbols);
/* In the child of a fork(): the programs that were started are the parent's, and end with it. */
void own_symbols_abandon(struct own_symbols *symbols);

#endif
