/* SPDX-License-Identifier: MIT */
#include "elf/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernel ---- */

/* A function that each program with this kernel has, and one of kymo's port for it. */
static const struct {
    const char *name, *symbol, *port;
} kernels[] = {{"FreeRTOS", "vTaskSwitchContext", "kymo_task_in"},
               {"Zephyr", "z_cstart", "kymo_zephyr_identity"},
               {"ThreadX", "_tx_thread_schedule", "kymo_task_in"},
               {"NuttX", "nx_start", "kymo_task_in"},
               {"RT-Thread", "rt_thread_create", "kymo_task_in"},
               {"ChibiOS", "chThdCreateI", "kymo_task_in"},
               {"RTX5", "osRtxKernelGetState", "kymo_task_in"}};

const char *program_kernel(const struct elf *elf, bool *told) {
    uint64_t address;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (elf_symbol(elf, kernels[i].symbol, &address)) {
            *told = elf_symbol(elf, kernels[i].port, &address);
            return kernels[i].name;
        }
    }
    return NULL;
}

/* ---- kymo's share ---- */

struct function {
    uint64_t start, size;
    bool is_own, is_global;
};

struct functions {
    const struct elf *elf;
    uint64_t sites_start, sites_stop;
    struct elf_area data;
    struct function *list;
    size_t count, capacity;
    bool short_of_memory;
    struct program_share *share;
};

static bool is_own(const char *name) { return strncmp(name, "kymo_", 5) == 0; }

/* A site is a constant that a macro makes for each place. */
static bool is_site(const struct functions *all, uint64_t value) {
    return value >= all->sites_start && value < all->sites_stop;
}

/* The file has no bytes for data that is zero at the start. */
static bool is_variable(const struct functions *all, uint64_t value) {
    return elf_at(all->elf, value, 1) == NULL ||
           (value >= all->data.address && value - all->data.address < all->data.bytes);
}

static void visit(void *context, const struct elf_symbol *symbol) {
    struct functions *all = context;
    const bool own = is_own(symbol->name);
    if (symbol->code_left == 0) {
        if (own && symbol->size != 0 && is_variable(all, symbol->value)) {
            all->share->variables += symbol->size;
        } else if (own && symbol->size != 0 && !is_site(all, symbol->value)) {
            all->share->constants += symbol->size;
        }
        return;
    }
    if (symbol->size == 0 || symbol->type != ELF_SYMBOL_FUNCTION) {
        return;
    }
    if (all->count == all->capacity) {
        const size_t capacity = all->capacity != 0 ? 2 * all->capacity : 1024;
        struct function *grown = realloc(all->list, capacity * sizeof *grown);
        if (grown == NULL) {
            all->short_of_memory = true;
            return;
        }
        all->list = grown;
        all->capacity = capacity;
    }
    all->list[all->count++] =
        (struct function){symbol->value, symbol->size, own, symbol->is_global};
}

static int by_start(const void *a, const void *b) {
    const uint64_t left = ((const struct function *)a)->start;
    const uint64_t right = ((const struct function *)b)->start;
    return left < right ? -1 : left > right;
}

/* A static function belongs to the object file of the global ones around it. */
static void add_code(const struct functions *all) {
    bool own_before = false;
    uint64_t pending = 0, end = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct function *function = &all->list[i];
        if (function->start < end) {
            continue; /* another name of the same code */
        }
        end = function->start + function->size;
        if (!function->is_own && !function->is_global) {
            pending += function->size;
            continue;
        }
        if (function->is_own) {
            all->share->code += function->size + (own_before ? pending : 0);
        }
        own_before = function->is_own;
        pending = 0;
    }
}

int program_share(const struct elf *elf, struct program_share *share) {
    struct functions all = {.elf = elf, .share = share};
    *share = (struct program_share){0};
    if (!elf_symbol(elf, "__start_kymo_sites", &all.sites_start) ||
        !elf_symbol(elf, "__stop_kymo_sites", &all.sites_stop)) {
        all.sites_start = all.sites_stop = 0;
    }
    if (!elf_section(elf, ".data", &all.data)) {
        all.data = (struct elf_area){0};
    }
    elf_symbols_each(elf, &all, visit);
    if (all.count != 0) {
        qsort(all.list, all.count, sizeof *all.list, by_start);
    }
    add_code(&all);
    free(all.list);
    return all.short_of_memory ? -ENOMEM : 0;
}

/* ---- the compiler's options ---- */

/* gcc without -O is the same as with -O0; the last one counts. */
static bool is_optimised(const char *options) {
    bool optimised = false;
    for (const char *at = options; (at = strstr(at, " -O")) != NULL; at += 3) {
        optimised = at[3] != '0';
    }
    return optimised;
}

void program_options(const struct elf *elf, struct program_options *options) {
    static const char gcc[] = "GNU C";
    struct elf_area strings;
    *options = (struct program_options){0};
    if (!elf_section(elf, ".debug_str", &strings)) {
        return;
    }
    for (uint64_t at = 0; at < strings.bytes;) {
        const char *text = (const char *)strings.content + at;
        const char *end = memchr(text, 0, (size_t)(strings.bytes - at));
        if (end == NULL) {
            return;
        }
        if (strncmp(text, gcc, sizeof gcc - 1) == 0 && strstr(text, " -") != NULL &&
            strstr(text, "-fbuilding-libgcc") == NULL) {
            options->sets++;
            options->unoptimised += !is_optimised(text);
        }
        at += (uint64_t)(end - text) + 1;
    }
}
