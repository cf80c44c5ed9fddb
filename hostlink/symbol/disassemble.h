/* SPDX-License-Identifier: MIT */
/* The machine code of a function, by the user's objdump: one process for each function, which takes a bounded time. */
#ifndef HOSTLINK_DISASSEMBLE_H
#define HOSTLINK_DISASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf.h"

#define DISASSEMBLE_LIMIT_NS (UINT64_C(20) * 1000000000)
#define DISASSEMBLE_LINES_MAX 65536u

struct disassemble {
    const struct elf *elf;
    const char *elf_path;
    const char *program; /* NULL: one that knows the machine */
    uint64_t limit_ns;   /* 0: DISASSEMBLE_LIMIT_NS */
};

/* Calls "line" for each instruction from "start" on, as the file has it, below "end"; "text" is not cleaned. False:
 * no program could; "*why" is the reason. */
bool disassemble_each(const struct disassemble *disassemble, uint64_t start, uint64_t end,
                      void (*line)(void *context, uint64_t address, const char *text),
                      void *context, const char **why);

#endif
