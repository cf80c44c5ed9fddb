/* SPDX-License-Identifier: MIT */
/* The functions of an ELF file by their addresses, from its symbol table alone. */
#ifndef HOSTLINK_FUNCTIONS_H
#define HOSTLINK_FUNCTIONS_H

#include "elf/elf.h"

struct elf_function {
    uint64_t start, end;
    uint64_t limit;   /* of one without a size */
    const char *name; /* a part of the file, ended by NUL */
    uint32_t rank;    /* of those at one address the smallest counts */
    bool is_thumb;    /* or, on 32-bit Arm, may be: a label without a type */
};

struct elf_functions {
    struct elf_function *list; /* by their starts, which are all different */
    size_t count;
};

/* 0 or -ENOMEM. The ELF file must outlive it. */
int elf_functions_open(struct elf_functions *functions, const struct elf *elf);
/* The one that the address is in, or NULL. */
const struct elf_function *elf_functions_at(const struct elf_functions *functions,
                                            uint64_t address);
void elf_functions_free(struct elf_functions *functions);

#endif
