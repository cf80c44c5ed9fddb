/* SPDX-License-Identifier: MIT */
#include "cli/elf_images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/whole_file.h"
#include "platform/file.h"

/* ---- programs of devices ---- */

#define SECTION ".kymo_device_sites"

/* Returns the text after '=' if it is NAME=FILE, and no file has the whole text as its name; else NULL. */
static const char *device_elfs_file(const char *text) {
    const size_t name = strcspn(text, "=");
    return text[name] != '=' || name == 0 || text[name + 1] == '\0' || sys_exists(text)
               ? NULL
               : text + name + 1;
}

/* Adds a text of that form. False: too many. */
static bool device_elfs_add(struct device_elfs *elfs, const char *text) {
    const char *path = device_elfs_file(text);
    if (elfs->count == DEVICE_ELFS_MAX || path == NULL) {
        return false;
    }
    struct device_elf *elf = &elfs->list[elfs->count++];
    elf->name = strndup(text, (size_t)(path - text) - 1);
    elf->path = path;
    return elf->name != NULL;
}

static bool open_elf(struct device_elf *elf) {
    size_t length = 0;
    const int error = whole_file_read(elf->path, &elf->bytes, &length);
    if (error != 0) {
        say("%s: cannot be read: %s", elf->path, strerror(-error));
        return false;
    }
    if (elf_open(&elf->elf, elf->bytes, length) != 0) {
        say("%s: %s", elf->path, elf->elf.why);
        return false;
    }
    if (!elf_section(&elf->elf, SECTION, &elf->sites)) {
        say("%s: has no names of a device's sites (section " SECTION
            "); give the device's program as the linker wrote it",
            elf->path);
        return false;
    }
    return true;
}

/* The text at an offset, up to its zero byte; moves the offset past that. NULL: no text. */
static const char *text_at(const struct elf_area *area, uint64_t *offset, size_t *length) {
    const uint8_t *from = area->content + *offset;
    const uint8_t *end =
        *offset < area->bytes ? memchr(from, 0, (size_t)(area->bytes - *offset)) : NULL;
    *length = end != NULL ? (size_t)(end - from) : 0;
    *offset += *length + 1;
    return end != NULL ? (const char *)from : NULL;
}

/* "npu 0/brisc", "brisc" or "npu 0". */
static bool is_of(const struct device_elf *elf, const struct device *device) {
    const size_t length = strlen(device->name);
    return strcmp(elf->name, device->core) == 0 || strcmp(elf->name, device->name) == 0 ||
           (strncmp(elf->name, device->name, length) == 0 && elf->name[length] == '/' &&
            strcmp(elf->name + length + 1, device->core) == 0);
}

/* A site of another build may begin within a text. */
static bool begins(const struct elf_area *area, uint64_t offset) {
    return offset < area->bytes && offset % 8 == 0 &&
           (offset == 0 || area->content[offset - 1] == 0);
}

static bool find(void *context, const struct device *device, uint32_t site,
                 struct site_entry *entry) {
    struct device_elfs *elfs = context;
    snprintf(elfs->asked, sizeof elfs->asked, "%.60s/%.60s", device->name, device->core);
    for (uint32_t i = 0; i < elfs->count; i++) {
        const struct elf_area *area = &elfs->list[i].sites;
        uint64_t offset = site - area->address;
        elfs->list[i].is_asked = elfs->list[i].is_asked || is_of(&elfs->list[i], device);
        if (!is_of(&elfs->list[i], device) || !begins(area, offset)) {
            continue;
        }
        size_t line_bytes = 0;
        entry->name = text_at(area, &offset, &entry->name_bytes);
        entry->file = entry->name != NULL ? text_at(area, &offset, &entry->file_bytes) : NULL;
        const char *line = entry->file != NULL ? text_at(area, &offset, &line_bytes) : NULL;
        if (line != NULL && entry->name_bytes != 0) {
            entry->line = (uint32_t)strtoul(line, NULL, 10);
            return true;
        }
    }
    for (uint32_t i = 0; i < elfs->count; i++) {
        elfs->list[i].is_missed = elfs->list[i].is_missed || is_of(&elfs->list[i], device);
    }
    return false;
}

/* False: one has an error, which was reported. */
static bool device_elfs_open(struct device_elfs *elfs) {
    bool well = true;
    for (uint32_t i = 0; i < elfs->count && well; i++) {
        well = open_elf(&elfs->list[i]);
    }
    elfs->names = (struct device_names){elfs, find};
    return well;
}

void device_elfs_say_missed(const struct device_elfs *elfs) {
    for (uint32_t i = 0; i < elfs->count && elfs->asked[0] != '\0'; i++) {
        const struct device_elf *elf = &elfs->list[i];
        if (!elf->is_asked) {
            say("--elf %s=%s: no device or core with sites in a program is called so; one is '%s'",
                elf->name, elf->path, elfs->asked);
        } else if (elf->is_missed) {
            say("--elf %s=%s: not all sites are in it: give the program that ran", elf->name,
                elf->path);
        }
    }
}

static void device_elfs_close(struct device_elfs *elfs) {
    for (uint32_t i = 0; i < elfs->count; i++) {
        free(elfs->list[i].name);
        free(elfs->list[i].bytes);
    }
    elfs->count = 0;
}

int elf_images_add(void *member, const struct options *options) {
    struct elf_images *images = member;
    if (device_elfs_file(options->value) != NULL) {
        return device_elfs_add(&images->devices, options->value)
                   ? 0
                   : options_wrong(options, "more than %u ELF files of devices", DEVICE_ELFS_MAX);
    }
    if (images->given_count == ELF_IMAGES_MAX) {
        return options_wrong(options, "more than %u ELF files: leave out the others",
                             (unsigned)ELF_IMAGES_MAX);
    }
    images->given[images->given_count++] = options->value;
    return 0;
}

/* ---- the files ---- */

/* The last '@' if an address as "0x80200000" follows it, or NULL: then it is a part of the file's name. */
static const char *find_place(const char *given, uint64_t *address) {
    char *end = NULL;
    const char *at = strrchr(given, '@');
    if (at == NULL || strncmp(at + 1, "0x", 2) != 0) {
        return NULL;
    }
    errno = 0;
    *address = strtoull(at + 1, &end, 16);
    return *end == '\0' && end != at + 3 && errno == 0 ? at : NULL;
}

static bool read_file(struct elf_image *image) {
    size_t length = 0;
    const int error = whole_file_read(image->path, &image->bytes, &length);
    if (error) {
        say("%s: %s%s", image->path, error == -ENODEV ? "" : "cannot be read: ",
            error == -ENODEV ? "is a device: give the ELF file of the program" : strerror(-error));
        return false;
    }
    if (elf_open(&image->elf, image->bytes, length) != 0) {
        say("%s: %s", image->path, image->elf.why);
        return false;
    }
    return true;
}

static bool open_image(struct elf_image *image, const char *given) {
    const char *end = find_place(given, &image->place);
    image->is_placed = end != NULL;
    image->path = strndup(given, end != NULL ? (size_t)(end - given) : strlen(given));
    if (image->path == NULL) {
        say(SAY_NO_MEMORY);
        return false;
    }
    return read_file(image);
}

/* ---- where they are ---- */

static bool overlap(const struct elf_image *a, const struct elf_image *b) {
    for (uint32_t i = 0; i < a->elf.code_count; i++) {
        for (uint32_t j = 0; j < b->elf.code_count; j++) {
            const struct elf_range *of_a = &a->elf.code[i], *of_b = &b->elf.code[j];
            const uint64_t a_start = of_a->start + a->symbolizer.bias;
            const uint64_t b_start = of_b->start + b->symbolizer.bias;
            if (a_start - b_start < of_b->bytes || b_start - a_start < of_a->bytes) {
                return true;
            }
        }
    }
    return false;
}

/* The other loaded image that overlaps this one, or NULL. */
static struct elf_image *in_the_way(const struct elf_images *images,
                                    const struct elf_image *image) {
    for (size_t i = 0; i < images->count; i++) {
        struct elf_image *other = &images->list[i];
        if (other != image && other->is_loaded && overlap(other, image)) {
            return other;
        }
    }
    return NULL;
}

static void load(struct elf_image *image, uint64_t address) {
    const uint64_t bias = address - elf_lowest(&image->elf);
    if (image->was_loaded) {
        symbolizer_move(&image->symbolizer, bias);
    } else {
        image->symbolizer.bias = bias;
    }
    image->is_loaded = image->was_loaded = true;
}

/* ---- opening and closing ---- */

static bool has_recorder(const struct elf_image *image) {
    uint64_t address;
    return !image->is_placed && elf_symbol(&image->elf, "kymo_layout", &address);
}

/* Moves the program to the front. If no file has a recorder, reading the first one's sites reports the error. */
static bool find_program(struct elf_images *images) {
    struct elf_image *program = NULL;
    for (size_t i = 0; i < images->count; i++) {
        struct elf_image *image = &images->list[i];
        if (has_recorder(image) && program != NULL) {
            say("%s and %s: both have a recorder, and a trace comes from one: leave out the "
                "program that the board does not run",
                program->path, image->path);
            return false;
        }
        program = has_recorder(image) ? image : program;
    }
    if (program != NULL) {
        const struct elf_image first = images->list[0];
        images->list[0] = *program;
        *program = first;
    }
    return true;
}

static void warn(void *context, const char *text) {
    (void)context;
    say("%s", text);
}

static void set_up(struct elf_image *image, const char *symbolizer) {
    image->symbolizer = (struct symbolizer){.elf = &image->elf,
                                            .elf_path = image->path,
                                            .program = symbolizer,
                                            .host = &tool_child,
                                            .choice = "--symbolizer",
                                            .warn = warn};
}

static bool check_module(const struct elf_image *program, const struct elf_image *module) {
    if (module->elf.machine != program->elf.machine ||
        module->elf.address_bytes != program->elf.address_bytes) {
        say("%s: is for another processor than %s: leave it out", module->path, program->path);
        return false;
    }
    if (module->elf.code_count == 0 || elf_lowest(&module->elf) == UINT64_MAX) {
        say("%s: has no code that can be loaded; give the module as the linker wrote it",
            module->path);
        return false;
    }
    return true;
}

/* Places the files that are at their linked addresses, and those whose place the option gives. */
static bool place_all(struct elf_images *images, const char *symbolizer) {
    for (size_t i = 0; i < images->count; i++) {
        struct elf_image *image = &images->list[i];
        set_up(image, symbolizer);
        if (i != 0 && !check_module(images->list, image)) {
            return false;
        }
        if (image->is_placed) {
            load(image, image->place);
        } else if (!image->elf.is_movable) {
            image->is_loaded = image->was_loaded = true;
        }
        const struct elf_image *other = image->is_loaded ? in_the_way(images, image) : NULL;
        if (other != NULL) {
            say("%s and %s: both have code at the same addresses: say where they are loaded, as "
                "'--elf IMAGE@0x80200000'",
                other->path, image->path);
            return false;
        }
    }
    return true;
}

bool elf_images_open(struct elf_images *images, const char *symbolizer) {
    if (!device_elfs_open(&images->devices)) {
        device_elfs_close(&images->devices);
        return false;
    }
    if (images->given_count == 0) {
        return true;
    }
    images->list = calloc(images->given_count, sizeof *images->list);
    bool well = images->list != NULL;
    if (!well) {
        say(SAY_NO_MEMORY);
    }
    while (well && images->count < images->given_count) {
        struct elf_image *image = &images->list[images->count];
        well = open_image(image, images->given[images->count++]);
    }
    if (!well || !find_program(images) || !place_all(images, symbolizer)) {
        elf_images_close(images);
        return false;
    }
    return true;
}

void elf_images_close(struct elf_images *images) {
    device_elfs_close(&images->devices);
    for (size_t i = 0; i < images->count; i++) {
        symbolizer_close(&images->list[i].symbolizer);
        free(images->list[i].bytes);
        free(images->list[i].path);
    }
    free(images->list);
    images->list = NULL;
    images->count = 0;
}

void elf_images_restart(struct elf_images *images) {
    for (size_t i = 1; i < images->count; i++) {
        struct elf_image *module = &images->list[i];
        module->is_loaded = module->is_placed || !module->elf.is_movable;
    }
}

void elf_images_say_missed(const struct elf_images *images) {
    for (size_t i = 1; images->missed && i < images->count; i++) {
        const char *path = images->list[i].path;
        if (!images->list[i].was_loaded) {
            say("%s: nothing says where it was loaded, so its functions have no names: give "
                "'--elf %s@0xADDRESS', or let the firmware say 'loaded %s at 0xADDRESS'",
                path, path, path);
        }
    }
}

size_t elf_images_paths(const struct elf_images *images, const char **paths, size_t count) {
    for (size_t i = 0; i < images->count; i++) {
        paths[count++] = images->list[i].path;
    }
    return count;
}

/* ---- code at an address ---- */

static bool has_code_at(const struct elf_image *image, uint64_t address, bool now) {
    const struct symbolizer *s = &image->symbolizer;
    const uint64_t bias = now ? s->bias : symbolizer_bias(s, address);
    return (now ? image->is_loaded : image->was_loaded) && elf_is_code(&image->elf, address - bias);
}

/* NULL: it is not in a module. Outputs ask for addresses also after the board has started again: those of the present
 * count first. */
static struct elf_image *module_at(const struct elf_images *images, uint64_t address) {
    for (int now = 1; now >= 0; now--) {
        for (size_t i = 0; i < images->count; i++) {
            if (has_code_at(&images->list[i], address, now)) {
                return i != 0 ? &images->list[i] : NULL;
            }
        }
    }
    return NULL;
}

struct symbolizer *elf_images_at(const struct elf_images *images, uint64_t address) {
    struct elf_image *module = module_at(images, address);
    return module != NULL ? &module->symbolizer : &images->list[0].symbolizer;
}

static const char *base_of(const char *path) { return sys_last_part(path); }

/* Functions of two modules may have one name. Valid until the next call. */
static const struct code_place *find_in(struct elf_image *module, uint64_t address) {
    static char text[CODE_LINES_MAX][CODE_TEXT_BYTES_MAX];
    static struct code_line lines[CODE_LINES_MAX];
    static struct code_place named;
    const struct code_place *place = symbolizer_glance(&module->symbolizer, address);
    if (place == NULL) {
        return NULL;
    }
    named = *place;
    named.lines = lines;
    for (uint32_t i = 0; i < named.count; i++) {
        const char *function = place->lines[i].function;
        lines[i] = place->lines[i];
        if (function[0] != '\0') {
            (void)snprintf(text[i], sizeof text[i], "%.900s [%.100s]", function,
                           base_of(module->path));
            lines[i].function = text[i];
        }
    }
    return &named;
}

/* A look-up of a return address is one of the call before it. */
const struct code_place *elf_images_find(struct elf_images *images, uint64_t address) {
    struct symbolizer *program = &images->list[0].symbolizer;
    const struct code_entry *entry = code_table_find(&program->table, address);
    struct elf_image *module = entry == NULL ? module_at(images, address - 1) : NULL;
    if (module != NULL) {
        entry = code_table_add(&program->table, address, find_in(module, address));
    }
    if (entry != NULL || module != NULL) {
        return entry != NULL ? entry->place : NULL;
    }
    const struct code_place *place = symbolizer_find(program, address);
    images->missed = images->missed || place == NULL;
    return place;
}

const struct code_place *elf_images_glance(struct elf_images *images, uint64_t address) {
    struct elf_image *module = module_at(images, address - 1);
    return module != NULL ? find_in(module, address)
                          : symbolizer_glance(&images->list[0].symbolizer, address);
}

/* ---- messages of the firmware ---- */

/* The module of "loaded NAME at 0xADDRESS"; NULL: the text is another one, or speaks of a file that was not given. */
static struct elf_image *module_in(const struct elf_images *images, const char *text,
                                   uint64_t *address) {
    static const char loaded[] = "loaded ", at[] = " at ";
    const char *name = text + sizeof loaded - 1, *end = strrchr(text, ' ');
    char *after = NULL;
    if (strncmp(text, loaded, sizeof loaded - 1) != 0 || end < name + sizeof at - 2) {
        return NULL;
    }
    const char *name_end = end - (sizeof at - 2);
    *address = strtoull(end + 1, &after, 16);
    if (memcmp(name_end, at, sizeof at - 1) != 0 || strncmp(end + 1, "0x", 2) != 0 ||
        *after != '\0') {
        return NULL;
    }
    for (const char *slash; (slash = memchr(name, '/', (size_t)(name_end - name))) != NULL;) {
        name = slash + 1;
    }
    for (size_t i = 1; i < images->count; i++) {
        const char *base = base_of(images->list[i].path);
        if (strlen(base) == (size_t)(name_end - name) &&
            memcmp(base, name, (size_t)(name_end - name)) == 0) {
            return &images->list[i];
        }
    }
    return NULL;
}

void elf_images_heard(struct elf_images *images, const char *text) {
    uint64_t address = 0;
    struct elf_image *module = module_in(images, text, &address);
    if (module == NULL) {
        return;
    }
    load(module, address);
    struct elf_image *other = in_the_way(images, module);
    if (other == NULL) {
        return;
    }
    other->is_loaded = other->is_placed;
    if (!images->overlap_said) {
        say("%s and %s: the firmware loaded both to the same addresses: functions there have the "
            "names of one of them",
            other->path, module->path);
    }
    images->overlap_said = true;
}
