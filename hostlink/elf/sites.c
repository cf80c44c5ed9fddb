/* SPDX-License-Identifier: MIT */
#include "elf/sites.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/layout.h"

static int fail(struct sites *sites, const char *why) {
    (void)snprintf(sites->why, sizeof sites->why, "%s", why);
    return -EINVAL;
}

/* The bytes from an address to the end of the section. */
static const uint8_t *rest_of(const struct elf_area *area, uint64_t address, uint64_t *rest) {
    uint64_t offset = address - area->address;
    if (address < area->address || offset >= area->bytes) {
        return NULL;
    }
    *rest = area->bytes - offset;
    return area->content + offset;
}

/* The same sum as kymo_image_identity(). */
static int sum_up(struct sites *sites) {
    static const char *const facts[] = {"__start_kymo_elf_sites",
                                        "__stop_kymo_elf_sites",
                                        "__start_kymo_elf_text",
                                        "__stop_kymo_elf_text",
                                        "kymo_layout",
                                        "kymo_link",
                                        "kymo_lanes"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        uint64_t address = 0;
        if (!elf_symbol(sites->elf, facts[i], &address)) {
            (void)snprintf(sites->why, sizeof sites->why,
                           "has no symbol %s; give the file as the linker wrote it", facts[i]);
            return -EINVAL;
        }
        sites->identity = kymo_sum_add(sites->identity, (uint32_t)address);
    }
    return 0;
}

static int find_table(struct sites *sites) {
    const bool in_elf = sites->layout.names_in_elf != 0;
    const char *start = in_elf ? "__start_kymo_elf_sites" : "__start_kymo_sites";
    const char *stop = in_elf ? "__stop_kymo_elf_sites" : "__stop_kymo_sites";
    uint64_t address = 0, rest = 0;
    if (!elf_symbol_area(sites->elf, start, &sites->start, &sites->table) ||
        !elf_symbol(sites->elf, stop, &sites->stop) ||
        (in_elf && !elf_symbol_area(sites->elf, "__start_kymo_elf_text", &address, &sites->text))) {
        return fail(sites, "has no table of sites; give the file as the linker wrote it");
    }
    const uint64_t bytes = sites->stop - sites->start;
    const bool sound = layout_may_have_sites(&sites->layout, sites->start, sites->stop);
    if (!sound || (bytes != 0 && (!rest_of(&sites->table, sites->start, &rest) || rest < bytes))) {
        return fail(sites, "is damaged: it does not hold its table of sites; give the file as the "
                           "linker wrote it");
    }
    return in_elf ? sum_up(sites) : 0;
}

int sites_open(struct sites *sites, const struct elf *elf) {
    *sites = (struct sites){.elf = elf};
    if (elf->is_core) {
        return fail(sites, "is a core file: name the program");
    }
    int error = layout_find(&sites->layout, &sites->layout_at, elf, sites->why, sizeof sites->why);
    if (error == 0 && elf->is_movable && sites->layout.names_in_elf != 0) {
        return fail(sites, "is position independent, which a program with KYMO_NAMES 0 cannot be: "
                           "link it with -no-pie");
    }
    return error ? error : find_table(sites);
}

uint32_t sites_count(const struct sites *sites) {
    return (uint32_t)((sites->stop - sites->start) / sites->layout.site_bytes);
}

static const char *text_in(const struct elf_area *area, uint64_t address, size_t *length) {
    uint64_t rest = 0;
    const uint8_t *bytes = rest_of(area, address, &rest);
    const uint8_t *end = bytes ? memchr(bytes, 0, (size_t)rest) : NULL;
    *length = end ? (size_t)(end - bytes) : 0;
    return end ? (const char *)bytes : "";
}

/* The text of a name or a file; those of functions are always loaded. */
static const char *text_at(const struct sites *sites, uint64_t address, size_t *length) {
    return sites->layout.names_in_elf != 0 ? text_in(&sites->text, address, length)
                                           : elf_string(sites->elf, address, length);
}

void sites_numbers(const uint8_t *site, size_t pointer_bytes, struct site_entry *entry) {
    const uint8_t *at = site + 3 * pointer_bytes;
    entry->line = bytes_u32(at);
    entry->detail = bytes_u32(at + 4);
    entry->color = bytes_u32(at + 8);
    entry->kind = at[12];
    entry->level = at[13];
}

void sites_get(const struct sites *sites, uint32_t index, struct site_entry *entry) {
    const size_t pointer = sites->layout.pointer_bytes, bytes = sites->layout.site_bytes;
    uint64_t rest = 0;
    const uint8_t *at = index < sites_count(sites)
                            ? rest_of(&sites->table, sites->start + index * bytes, &rest)
                            : NULL;
    *entry = (struct site_entry){.function = "", .file = ""};
    if (!at) {
        return;
    }
    const uint64_t name = bytes_address(at, pointer);
    const uint64_t function = bytes_address(at + pointer, pointer);
    if (name != 0) {
        entry->name = text_at(sites, name, &entry->name_bytes);
    }
    if (function != 0) {
        entry->function = elf_string(sites->elf, function, &entry->function_bytes);
    }
    entry->file = text_at(sites, bytes_address(at + 2 * pointer, pointer), &entry->file_bytes);
    sites_numbers(at, pointer, entry);
}
