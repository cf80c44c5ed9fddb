/* SPDX-License-Identifier: MIT */
#include "cli/elf_names.h"

#include <stdlib.h>

#include "base/say.h"

static struct elf_image *program_of(const struct elf_names *names) { return names->images.list; }

static void get_site(const void *sites, uint32_t index, struct site_entry *entry) {
    sites_get(sites, index, entry);
}

/* Once: a capture is read twice, and may have many sessions. */
static void refuse(void *context, const char *why) {
    struct elf_names *names = context;
    if (!names->refused) {
        say("%s: is not the program that the board runs, so no names are taken from it: %s; give "
            "the ELF file of the program that the board runs now",
            program_of(names)->path, why);
    }
    names->refused = true;
}

static void accept(void *context) {
    struct elf_names *names = context;
    names->accepted = true;
    elf_images_restart(&names->images);
}

/* Checks the file, too: a program that cannot move is at its linked address. */
static void loaded(void *context, uint64_t layout_at) {
    struct elf_names *names = context;
    struct elf_image *program = program_of(names);
    const uint64_t bias = layout_at - names->sites.layout_at;
    if (!elf_may_move_by(&program->elf, bias)) {
        refuse(context, "it is another build");
        return;
    }
    if (program->was_loaded) {
        symbolizer_move(&program->symbolizer, bias);
    } else {
        program->symbolizer.bias = bias;
    }
    program->is_loaded = program->was_loaded = true;
}

/* False for a file that was refused once, for the whole of a capture of two programs. */
static bool knows_code(struct elf_names *names) {
    const struct elf_image *program = program_of(names);
    if (!names->accepted || names->refused) {
        return false;
    }
    if (!program->was_loaded && !names->unlocated) {
        say("%s: is position independent, and the board does not say where it was loaded: its code "
            "has no names; link it with -no-pie, or give '--elf %s@0xADDRESS'",
            program->path, program->path);
        names->unlocated = true;
    }
    return program->was_loaded;
}

static const struct code_place *find_symbol(void *state, uint64_t address) {
    struct elf_names *names = state;
    return knows_code(names) ? elf_images_find(&names->images, address) : NULL;
}

static const struct code_place *glance(void *state, uint64_t address) {
    struct elf_names *names = state;
    return knows_code(names) ? elf_images_glance(&names->images, address) : NULL;
}

static const uint8_t *find_code(void *state, uint64_t start, uint64_t bytes) {
    struct elf_names *names = state;
    return knows_code(names) ? symbolizer_code(elf_images_at(&names->images, start), start, bytes)
                             : NULL;
}

static bool is_frameless(void *state, uint64_t address) {
    struct elf_names *names = state;
    return knows_code(names) &&
           symbolizer_is_frameless(elf_images_at(&names->images, address), address);
}

static void heard(void *state, const char *text) {
    struct elf_names *names = state;
    elf_images_heard(&names->images, text);
}

const char *elf_names_symbolizer(const char *symbolizer) {
    const char *variable = getenv("KYMO_SYMBOLIZER");
    return symbolizer != NULL                        ? symbolizer
           : variable != NULL && variable[0] != '\0' ? variable
                                                     : NULL;
}

bool elf_names_open(struct elf_names *names, const char *symbolizer) {
    const char *program = elf_names_symbolizer(symbolizer);
    if (!elf_images_open(&names->images, program)) {
        return false;
    }
    names->image.devices = &names->images.devices.names;
    if (names->images.count == 0) {
        return true;
    }
    struct sites *sites = &names->sites;
    struct elf_image *image = program_of(names);
    if (sites_open(sites, &image->elf) != 0) {
        say("%s: %s", image->path, sites->why);
        elf_names_close(names);
        return false;
    }
    names->symbols = (struct symbols){.state = names,
                                      .find = find_symbol,
                                      .glance = glance,
                                      .code = find_code,
                                      .is_frameless = is_frameless,
                                      .heard = heard};
    names->image = (struct known_image){.sites = {.context = sites,
                                                  .count = sites_count(sites),
                                                  .get = image->elf.is_movable ? NULL : get_site},
                                        .devices = &names->images.devices.names,
                                        .pointer_bytes = (uint8_t)sites->layout.pointer_bytes,
                                        .names_in_elf = sites->layout.names_in_elf != 0,
                                        .identity = sites->identity,
                                        .symbols = &names->symbols,
                                        .table = &image->symbolizer.table,
                                        .accept = accept,
                                        .loaded = loaded,
                                        .refuse = refuse,
                                        .context = names};
    image->symbolizer.table.of =
        (struct code_program){names->image.sites.count, names->image.pointer_bytes,
                              names->image.names_in_elf ? UINT64_C(1) + names->image.identity : 0};
    return true;
}

void elf_names_close(struct elf_names *names) {
    if (names->accepted && !names->refused) {
        elf_images_say_missed(&names->images);
    }
    device_elfs_say_missed(&names->images.devices);
    elf_images_close(&names->images);
}

void elf_names_prepare(struct elf_names *names) {
    if (names->images.count != 0) {
        symbolizer_start(&program_of(names)->symbolizer);
    }
}

const struct known_image *elf_names_image(const struct elf_names *names) {
    return names->images.count != 0 || names->images.devices.count != 0 ? &names->image : NULL;
}

uint16_t elf_names_machine(const struct elf_names *names) {
    return names->images.count != 0 ? program_of(names)->elf.machine : 0;
}
