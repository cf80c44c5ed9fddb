#include "cli/elf_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/whole_file.h"

static void get_site(const void *sites, uint32_t index, struct site_entry *entry) {
    sites_get(sites, index, entry);
}

/* Once: a capture is read twice, and may have many sessions. */
static void refuse(void *context, const char *why) {
    struct elf_names *names = context;
    if (!names->refused) {
        say("%s: is not the program that the board runs, so no names are taken from it: %s; give "
            "the "
            "ELF file of the program that the board runs now",
            names->path, why);
    }
    names->refused = true;
}

static void accept(void *context) {
    struct elf_names *names = context;
    names->accepted = true;
}

/* Checks the file, too: a program that cannot move lies where it was linked for. */
static void loaded(void *context, uint64_t layout_at) {
    struct elf_names *names = context;
    const uint64_t bias = layout_at - names->sites.layout_at;
    if (!elf_may_move_by(&names->elf, bias)) {
        refuse(context, "it is another build");
        return;
    }
    if (names->located) {
        symbolizer_move(&names->symbolizer, bias);
    } else {
        names->symbolizer.bias = bias;
    }
    names->located = true;
}

/* False for a file that was refused once, for the whole of a capture of two programs. */
static bool knows_code(struct elf_names *names) {
    if (!names->accepted || names->refused) {
        return false;
    }
    if (names->elf.is_movable && !names->located && !names->unlocated) {
        say("%s: is position independent, and the board does not say where it was loaded: its code "
            "has no names; link it with -no-pie",
            names->path);
        names->unlocated = true;
    }
    return names->located || !names->elf.is_movable;
}

static void warn(void *context, const char *text) {
    (void)context;
    say("%s", text);
}

static const struct code_place *find_symbol(void *state, uint64_t address) {
    struct elf_names *names = state;
    return knows_code(names) ? symbolizer_find(&names->symbolizer, address) : NULL;
}

static const struct code_place *glance(void *state, uint64_t address) {
    struct elf_names *names = state;
    return knows_code(names) ? symbolizer_glance(&names->symbolizer, address) : NULL;
}

static const uint8_t *find_code(void *state, uint64_t start, uint64_t bytes) {
    struct elf_names *names = state;
    return knows_code(names) ? symbolizer_code(&names->symbolizer, start, bytes) : NULL;
}

static bool is_frameless(void *state, uint64_t address) {
    struct elf_names *names = state;
    return knows_code(names) && symbolizer_is_frameless(&names->symbolizer, address);
}

static bool read_image(struct elf_names *names) {
    size_t length = 0;
    int error = whole_file_read(names->path, &names->bytes, &length);
    if (error) {
        say("%s: %s%s", names->path, error == -ENODEV ? "" : "cannot be read: ",
            error == -ENODEV ? "is a device: give the ELF file of the program" : strerror(-error));
        return false;
    }
    if (elf_open(&names->elf, names->bytes, length) != 0) {
        say("%s: %s", names->path, names->elf.why);
        return false;
    }
    if (sites_open(&names->sites, &names->elf) != 0) {
        say("%s: %s", names->path, names->sites.why);
        return false;
    }
    return true;
}

const char *elf_names_symbolizer(const char *symbolizer) {
    const char *variable = getenv("KYMO_SYMBOLIZER");
    return symbolizer != NULL                        ? symbolizer
           : variable != NULL && variable[0] != '\0' ? variable
                                                     : NULL;
}

bool elf_names_open(struct elf_names *names, const char *path, const char *symbolizer) {
    *names = (struct elf_names){.path = path};
    if (!path) {
        return true;
    }
    if (!read_image(names)) {
        elf_names_close(names);
        return false;
    }
    const struct sites *sites = &names->sites;
    names->symbols = (struct symbols){.state = names,
                                      .find = find_symbol,
                                      .glance = glance,
                                      .code = find_code,
                                      .is_frameless = is_frameless};
    names->symbolizer = (struct symbolizer){.elf = &names->elf,
                                            .elf_path = path,
                                            .program = elf_names_symbolizer(symbolizer),
                                            .host = &tool_child,
                                            .choice = "--symbolizer",
                                            .warn = warn};
    names->image = (struct known_image){.sites = {.context = sites,
                                                  .count = sites_count(sites),
                                                  .get = names->elf.is_movable ? NULL : get_site},
                                        .pointer_bytes = (uint8_t)sites->layout.pointer_bytes,
                                        .names_in_elf = sites->layout.names_in_elf != 0,
                                        .identity = sites->identity,
                                        .symbols = &names->symbols,
                                        .table = &names->symbolizer.table,
                                        .accept = accept,
                                        .loaded = loaded,
                                        .refuse = refuse,
                                        .context = names};
    names->symbolizer.table.of =
        (struct code_program){names->image.sites.count, names->image.pointer_bytes,
                              names->image.names_in_elf ? UINT64_C(1) + names->image.identity : 0};
    return true;
}

void elf_names_close(struct elf_names *names) {
    if (names->path) {
        symbolizer_close(&names->symbolizer);
    }
    free(names->bytes);
    names->bytes = NULL;
}

void elf_names_prepare(struct elf_names *names) {
    if (names->path) {
        symbolizer_start(&names->symbolizer);
    }
}

const struct known_image *elf_names_image(const struct elf_names *names) {
    return names->path ? &names->image : NULL;
}

uint16_t elf_names_machine(const struct elf_names *names) {
    return names->path ? names->elf.machine : 0;
}
