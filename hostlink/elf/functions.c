/* SPDX-License-Identifier: MIT */
#include "elf/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* e_machine */
enum { EM_ARM = 40 };
/* The lowest bit of a function's address on 32-bit Arm: it is Thumb code ("ELF for the Arm Architecture", 5.5.3). */
#define THUMB_BIT UINT64_C(1)
/* A symbol without a size reaches to the next one, but no further than its section, and than this. */
#define SIZELESS_MAX UINT64_C(65536)

/* A file can say any number of symbols that it has bytes for; no program has more functions. */
#define FUNCTIONS_MAX (1u << 22)

struct collected {
    struct elf_functions *functions;
    const struct elf *elf;
    uint32_t capacity;
    int error;
};

/* A symbol after the last instruction of its section, as _etext, is a boundary. Labels of assembly have no type;
 * mapping symbols of Arm and RISC-V ("$a", "$x") and local labels do not count. */
static bool is_function(const struct elf_symbol *symbol) {
    if (symbol->code_left == 0 || symbol->name[0] == '\0' || symbol->name[0] == '$' ||
        strncmp(symbol->name, ".L", 2) == 0) {
        return false;
    }
    return symbol->type == ELF_SYMBOL_FUNCTION || symbol->type == ELF_SYMBOL_NO_TYPE;
}

static void collect(void *context, const struct elf_symbol *symbol) {
    struct collected *to = context;
    struct elf_functions *functions = to->functions;
    if (to->error != 0 || !is_function(symbol) || functions->count == FUNCTIONS_MAX) {
        return;
    }
    if (!grow(&functions->list, &to->capacity, functions->count, sizeof *functions->list)) {
        to->error = -ENOMEM;
        return;
    }
    const bool is_arm = to->elf->machine == EM_ARM, is_typed = symbol->type == ELF_SYMBOL_FUNCTION;
    const uint64_t start = symbol->value & ~(is_arm && is_typed ? THUMB_BIT : 0);
    const uint64_t end = symbol->size > UINT64_MAX - start ? UINT64_MAX : start + symbol->size;
    functions->list[functions->count++] = (struct elf_function){
        .start = start,
        .end = end,
        .limit = start + (symbol->code_left < SIZELESS_MAX ? symbol->code_left : SIZELESS_MAX),
        .name = symbol->name,
        .is_thumb = is_arm && (!is_typed || start != symbol->value),
        .rank = (symbol->type == ELF_SYMBOL_FUNCTION ? 0u : 2u) + (symbol->is_global ? 0u : 1u)};
}

static int by_start(const void *left, const void *right) {
    const struct elf_function *a = left, *b = right;
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1) : strcmp(a->name, b->name);
}

static void leave_one_each(struct elf_functions *functions) {
    size_t kept = 0;
    for (size_t i = 0; i < functions->count; i++) {
        if (kept == 0 || functions->list[i].start != functions->list[kept - 1].start) {
            functions->list[kept++] = functions->list[i];
        }
    }
    functions->count = kept;
}

static void end_sizeless(struct elf_functions *functions) {
    for (size_t i = 0; i < functions->count; i++) {
        struct elf_function *function = &functions->list[i];
        if (function->end == function->start) {
            const bool is_last = i + 1 == functions->count;
            const uint64_t next = is_last ? UINT64_MAX : functions->list[i + 1].start;
            function->end = next < function->limit ? next : function->limit;
        }
    }
}

int elf_functions_open(struct elf_functions *functions, const struct elf *elf) {
    struct collected collected = {.functions = functions, .elf = elf};
    *functions = (struct elf_functions){0};
    elf_symbols_each(elf, &collected, collect);
    if (collected.error != 0) {
        elf_functions_free(functions);
        return collected.error;
    }
    if (functions->count != 0) {
        qsort(functions->list, functions->count, sizeof *functions->list, by_start);
    }
    leave_one_each(functions);
    end_sizeless(functions);
    return 0;
}

const struct elf_function *elf_functions_at(const struct elf_functions *functions,
                                            uint64_t address) {
    size_t low = 0, high = functions->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (functions->list[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low != 0 && address < functions->list[low - 1].end ? &functions->list[low - 1] : NULL;
}

void elf_functions_free(struct elf_functions *functions) {
    free(functions->list);
    *functions = (struct elf_functions){0};
}
