/* SPDX-License-Identifier: MIT */
#include "symbol/disassemble.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/programs.h"
#include "symbol/tool.h"

#define NAME_BYTES 64u

/* An instruction: blanks, its address in hex, a colon, and the rest. */
static bool is_instruction(const char *line, uint64_t *address, const char **text) {
    char *end = NULL;
    const char *at = line + strspn(line, " \t");
    *address = strtoull(at, &end, 16);
    if (end == at || *end != ':' || strspn(at, "0123456789abcdef") != (size_t)(end - at)) {
        return false;
    }
    *text = end + 1 + strspn(end + 1, " \t");
    return **text != '\0';
}

struct range {
    uint64_t start, end;
    void (*line)(void *context, uint64_t address, const char *text);
    void *context;
};

/* Returns how many instructions it showed. */
static uint32_t read_all(struct tool *tool, const struct range *range) {
    const char *text;
    uint64_t address;
    uint32_t count = 0;
    for (const char *line; count < DISASSEMBLE_LINES_MAX && (line = tool_line(tool)) != NULL;) {
        if (is_instruction(line, &address, &text) && address >= range->start &&
            address < range->end) {
            range->line(range->context, address, text);
            count++;
        }
    }
    return count;
}

static uint32_t run(const struct disassemble *d, const char *program, const struct range *range,
                    const char **why) {
    struct tool tool;
    char start[NAME_BYTES], end[NAME_BYTES];
    const char *const arguments[] = {program, "-d", "-C",        "--no-show-raw-insn",
                                     start,   end,  d->elf_path, NULL};
    (void)snprintf(start, sizeof start, "--start-address=0x%" PRIx64, range->start);
    (void)snprintf(end, sizeof end, "--stop-address=0x%" PRIx64, range->end);
    if (!tool_start(&tool, &tool_child, arguments,
                    d->limit_ns != 0 ? d->limit_ns : DISASSEMBLE_LIMIT_NS)) {
        *why = tool_state_text(TOOL_NOT_STARTED);
        return 0;
    }
    (void)tool_ask(&tool, "");
    const uint32_t count = read_all(&tool, range);
    *why = tool.state == TOOL_ENDED ? "shows no instruction of this file"
                                    : tool_state_text(tool.state);
    tool_end(&tool);
    return count;
}

/* The objdump next to a program for symbols. */
static void name_objdump(char name[NAME_BYTES], const char *symbolizer) {
    const char *end = strstr(symbolizer, "addr2line");
    end = end != NULL ? end : strstr(symbolizer, "symbolizer");
    const int prefix = end != NULL ? (int)(end - symbolizer) : 0;
    (void)snprintf(name, NAME_BYTES, "%.*sobjdump", prefix, symbolizer);
}

bool disassemble_each(const struct disassemble *d, uint64_t start, uint64_t end,
                      void (*line)(void *context, uint64_t address, const char *text),
                      void *context, const char **why) {
    const struct range range = {start, end, line, context};
    char name[NAME_BYTES];
    const char *symbolizer;
    if (d->program != NULL) {
        return run(d, d->program, &range, why) != 0;
    }
    *why = "there is none";
    /* GNU objdump first: llvm-objdump must be given the extensions of the core. */
    for (size_t i = 0; (symbolizer = program_for(d->elf->machine, i)) != NULL; i++) {
        name_objdump(name, symbolizer);
        if (strncmp(name, "llvm", 4) != 0 && run(d, name, &range, why) != 0) {
            return true;
        }
    }
    return run(d, "llvm-objdump", &range, why) != 0;
}
