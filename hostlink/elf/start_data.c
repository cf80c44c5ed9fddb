/* SPDX-License-Identifier: MIT */
#include "elf/start_data.h"

#include <stddef.h>

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
