/* SPDX-License-Identifier: MIT */
/* The log of QEMU's plugin execlog: an instruction a line, "0, 0x80000030, 0x1141, \"add sp,sp,-16\"" and what it loads
 * or stores. With the program's ELF file this is a profile of any firmware: each function is a zone, a nanosecond is an
 * instruction of its core. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

#define CORES_MAX 64u
#define DEPTH_MAX 4096u

struct core {
    uint32_t row;
    int64_t count; /* instructions */
    uint32_t depth;
    const struct elf_function *stack[DEPTH_MAX]; /* NULL: code without a name */
};

struct execlog {
    struct played *played;
    const struct elf_functions *functions;
    struct import_result *result;
    struct core *cores[CORES_MAX];
    bool no_memory;
};

static struct core *core_of(struct execlog *log, uint32_t number) {
    if (!log->cores[number]) {
        struct core *core = calloc(1, sizeof *core);
        char name[24];
        if (!core) {
            log->no_memory = true;
            return NULL;
        }
        (void)snprintf(name, sizeof name, "core %u", number);
        core->row = played_row(log->played, &number, sizeof number);
        played_name_row(log->played, core->row, name);
        log->cores[number] = core;
    }
    return log->cores[number];
}

static void enter(struct execlog *log, struct core *core, const struct elf_function *function) {
    const struct played_site site = {
        .kind = KYMO_SITE_ZONE, .name = function ? function->name : "(no function)", .file = ""};
    if (core->depth < DEPTH_MAX) {
        core->stack[core->depth++] = function;
        played_begin(log->played, core->row, core->count, PLAYED_OPEN,
                     played_site(log->played, &site), NULL);
    }
}

static void leave_to(struct execlog *log, struct core *core, uint32_t depth) {
    for (; core->depth > depth; core->depth--) {
        played_end(log->played, core->row, core->count);
    }
}

/* A function's first instruction is a call; any other instruction of another function is a return to it if it is open,
 * through those inside it. Else it came there by a jump, an interrupt or a switch of tasks: it begins inside. */
static void step(struct execlog *log, struct core *core, uint64_t address) {
    const struct elf_function *at = elf_functions_at(log->functions, address);
    const bool open = core->depth > 0;
    if (open && core->stack[core->depth - 1] == at) {
        core->count++;
        return;
    }
    uint32_t depth = core->depth;
    while (depth > 0 && core->stack[depth - 1] != at) {
        depth--;
    }
    if (depth > 0 && !(at && address == at->start)) {
        leave_to(log, core, depth);
    } else {
        enter(log, core, at);
    }
    core->count++;
}

/* Reads "NUMBER, 0xADDRESS, 0x". Returns the end of the address, or NULL. */
static const char *read_line(const char *at, const char *end, uint32_t *core, uint64_t *address) {
    const char *start = at;
    *core = 0;
    *address = 0;
    for (; at < end && *at >= '0' && *at <= '9' && *core < CORES_MAX; at++) {
        *core = *core * 10 + (uint32_t)(*at - '0');
    }
    if (at == start || *core >= CORES_MAX || end - at < 5 || memcmp(at, ", 0x", 4) != 0) {
        return NULL;
    }
    for (at += 4; at < end; at++) {
        const char c = *at;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) {
            break;
        }
        *address = *address << 4 | (uint64_t)digit;
    }
    return end - at >= 4 && memcmp(at, ", 0x", 4) == 0 ? at : NULL;
}

static void read_execlog(const struct import_file *file, struct played *played,
                         struct import_result *result) {
    struct execlog log = {.played = played, .functions = file->functions, .result = result};
    const char *at = file->bytes, *end = file->bytes + file->length;
    while (at < end && !log.no_memory && !result->why) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        uint32_t number;
        uint64_t address;
        if (!newline) {
            result->cut = true; /* not all of the line came */
            break;
        }
        struct core *core =
            read_line(at, newline, &number, &address) ? core_of(&log, number) : NULL;
        if (core) {
            step(&log, core, address);
            result->events++;
        } else if (newline > at && !log.no_memory) {
            result->why = "a line of the plugin execlog is expected: CORE, 0xADDRESS, 0xCODE, ...";
        }
        at = result->why ? at : newline + 1;
    }
    result->at = (uint64_t)(at - file->bytes);
    for (uint32_t i = 0; i < CORES_MAX; i++) {
        if (log.cores[i]) {
            leave_to(&log, log.cores[i], 0);
            free(log.cores[i]);
        }
    }
    played->error = log.no_memory ? -ENOMEM : played->error;
}

static bool is_execlog(const struct import_file *file) {
    const char *newline = memchr(file->bytes, '\n', file->length);
    uint32_t core;
    uint64_t address;
    return read_line(file->bytes, newline ? newline : file->bytes + file->length, &core,
                     &address) != NULL;
}

const struct import_format import_execlog = {
    .name = "execlog",
    .help = "the log of QEMU's plugin execlog: functions by --elf",
    .needs_elf = true,
    .is_it = is_execlog,
    .read = read_execlog};
