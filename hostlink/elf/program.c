/* SPDX-License-Identifier: MIT */
#include "elf/program.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

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
    uint32_t count, capacity;
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
    if (!grow(&all->list, &all->capacity, all->count, sizeof *all->list)) {
        all->short_of_memory = true;
        return;
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

/* ---- data at the start ---- */

/* Compares where a linker script puts the initial values of variables with where the start-up code reads them. */
/* Names in linker scripts of vendors: first those that mean nothing else. */
static const char *const sources[] = {"_sidata",
                                      "__sidata",
                                      "metal_segment_data_source_start",
                                      "__data_load__",
                                      "__data_load",
                                      "__data_load_start",
                                      "_data_load",
                                      "_eronly",
                                      "data_image",
                                      "core_data_image",
                                      "__data_image__",
                                      "_ldata",
                                      "__load_data",
                                      "__data_source",
                                      "___data_source",
                                      "_data_loadaddr",
                                      "__data_loadaddr",
                                      "__textdata_base__",
                                      "_textdata",
                                      "_sdataload",
                                      "__data_lma",
                                      "_data_lma",
                                      "__la_data",
                                      "_init_data",
                                      "__DATA_ROM",
                                      "__data_region_load_start"};
static const char *const text_ends[] = {"__etext", "_etext", "etext"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The segment that the program sees at this address. */
static bool segment_at(const struct elf *elf, uint64_t address, struct elf_segment *segment) {
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        if (elf_segment(elf, i, segment) && address >= segment->address &&
            address - segment->address < segment->bytes) {
            return true;
        }
    }
    return false;
}

/* Other sections that are copied with the variables may precede them. */
static bool is_right(const struct start_data_found *found, uint64_t value) {
    return value >= found->region && value <= found->linked;
}

static enum start_data judge(struct start_data_found *found, const char *symbol, uint64_t value) {
    found->symbol = symbol;
    found->copied = value;
    return is_right(found, value) ? START_DATA_RIGHT : START_DATA_WRONG;
}

/* The end of .text may be there for another purpose, unless the sites stand between it and the values. */
static enum start_data look_at_text_end(const struct elf *elf, struct start_data_found *found) {
    uint64_t sites = 0, value = 0;
    const bool has_sites = elf_symbol(elf, "__start_kymo_sites", &sites);
    for (size_t i = 0; i < COUNT(text_ends); i++) {
        if (!elf_symbol(elf, text_ends[i], &value)) {
            continue;
        }
        if (is_right(found, value)) {
            return judge(found, text_ends[i], value);
        }
        if (has_sites && value <= sites && sites - value < 8 && sites < found->linked) {
            return judge(found, text_ends[i], value);
        }
    }
    return START_DATA_UNKNOWN;
}

enum start_data start_data_look(const struct elf *elf, struct start_data_found *found) {
    struct elf_area data;
    struct elf_segment segment;
    uint64_t value = 0;
    *found = (struct start_data_found){0};
    if (!elf_section(elf, ".data", &data) || data.bytes == 0 ||
        !segment_at(elf, data.address, &segment) || segment.physical_address == segment.address) {
        return START_DATA_IN_PLACE;
    }
    found->region = segment.physical_address;
    found->linked = segment.physical_address + (data.address - segment.address);
    for (size_t i = 0; i < COUNT(sources); i++) {
        if (elf_symbol(elf, sources[i], &value)) {
            return judge(found, sources[i], value);
        }
    }
    return look_at_text_end(elf, found);
}

bool start_data_sites_lost(const struct elf *elf) {
    struct elf_area own;
    struct elf_segment segment;
    uint64_t start = 0, stop = 0;
    return elf_symbol(elf, "__start_kymo_sites", &start) &&
           elf_symbol(elf, "__stop_kymo_sites", &stop) && stop > start &&
           elf_section(elf, "kymo_sites", &own) && own.address <= start &&
           segment_at(elf, start, &segment) && segment.physical_address != segment.address;
}
