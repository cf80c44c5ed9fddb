/* SPDX-License-Identifier: MIT */
#include "client/own_symbols.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host_clock.h"

#define SELF "/proc/self/exe"
/* For one answer of a program: the first may have to read hundreds of megabytes on a machine that is busy. */
#define OWN_LIMIT_NS (UINT64_C(30) * 1000000000)
/* Most answers come sooner. */
#define READY_NS (2 * NS_PER_MS)

/* From the C++ library, if the program links with it. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status)
    __attribute__((weak));

/* The dynamic linker's answer for an address. */
struct place {
    uint64_t address;
    char path[1024];
    uint64_t bias;
    bool found;
};

static bool is_in(const struct dl_phdr_info *info, uint64_t address) {
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && address >= start &&
            address - start < info->dlpi_phdr[i].p_memsz) {
            return true;
        }
    }
    return false;
}

/* The program itself has no name here. */
static int look(struct dl_phdr_info *info, size_t size, void *context) {
    struct place *place = context;
    (void)size;
    if (!is_in(info, place->address)) {
        return 0;
    }
    const char *path = info->dlpi_name[0] != '\0' ? info->dlpi_name : SELF;
    place->found = strlen(path) < sizeof place->path;
    if (place->found) {
        strcpy(place->path, path);
        place->bias = info->dlpi_addr;
    }
    return 1;
}

static bool is_own(const char *path) {
    struct stat here, there;
    const int fd = open(SELF, O_RDONLY | O_CLOEXEC);
    const bool same = fd >= 0 && fstat(fd, &here) == 0 && stat(path, &there) == 0 &&
                      here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    if (fd >= 0) {
        (void)close(fd);
    }
    return same;
}

/* The program's own file has another name for others; one that was replaced meanwhile has none. */
static char *path_of(const char *path) {
    char own[4096];
    const ssize_t length = strcmp(path, SELF) == 0 ? readlink(SELF, own, sizeof own - 1) : -1;
    own[length > 0 ? length : 0] = '\0';
    return strdup(length > 0 && is_own(own) ? own : path);
}

static void map_file(struct own_object *object) {
    struct stat about;
    const int fd = open(object->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            object->bytes = bytes;
            object->length = (size_t)about.st_size;
        }
    }
    (void)close(fd);
}

/* Without lines in the file a symbolizer would know no more than the table of symbols. */
static void read_file(struct own_symbols *symbols, struct own_object *object) {
    if (object->bytes == NULL || elf_open(&object->elf, object->bytes, object->length) != 0) {
        return;
    }
    const bool has_lines = symbols->host.start != NULL && strcmp(object->path, SELF) != 0 &&
                           elf_has_section(&object->elf, ".debug_line");
    object->symbolizer = calloc(1, sizeof *object->symbolizer);
    if (object->symbolizer != NULL) {
        *object->symbolizer = (struct symbolizer){.elf = &object->elf,
                                                  .elf_path = object->path,
                                                  .bias = object->bias,
                                                  .program = has_lines ? symbols->program : "none",
                                                  .host = &symbols->host,
                                                  .choice = "KYMO_SYMBOLIZER",
                                                  .limit_ns = OWN_LIMIT_NS,
                                                  .warn = symbols->warn,
                                                  .context = symbols->context};
    }
}

/* NULL: there are too many, or memory is short. One without a table of symbols is kept too, so that it is read once. */
static struct own_object *object_of(struct own_symbols *symbols, uint64_t address) {
    struct place place = {.address = address};
    (void)dl_iterate_phdr(look, &place);
    if (!place.found) {
        return NULL;
    }
    char *path = path_of(place.path);
    for (size_t i = 0; path != NULL && i < symbols->count; i++) {
        struct own_object *object = &symbols->objects[i];
        if (object->bias == place.bias && strcmp(object->path, path) == 0) {
            free(path);
            return object;
        }
    }
    if (path == NULL || symbols->count == OWN_OBJECTS_MAX) {
        free(path);
        return NULL;
    }
    struct own_object *object = &symbols->objects[symbols->count++];
    *object = (struct own_object){.path = path, .bias = place.bias};
    map_file(object);
    read_file(symbols, object);
    return object;
}

/* A library without the function's name is named itself. */
static const struct code_entry *by_name(struct own_symbols *symbols, uint64_t address,
                                        const struct own_object *object,
                                        const struct code_place *place) {
    const char *slash = strcmp(object->path, SELF) != 0 ? strrchr(object->path, '/') : NULL;
    const char *name = place != NULL ? place->lines[0].function : "";
    char *readable = __cxa_demangle != NULL ? __cxa_demangle(name, NULL, NULL, &(int){0}) : NULL;
    const struct code_line line = {.function = readable != NULL ? readable : name,
                                   .file = slash != NULL ? slash + 1 : ""};
    const struct code_place found = {.start = place != NULL ? place->start : 0,
                                     .bytes = place != NULL ? place->bytes : 0,
                                     .count = 1,
                                     .lines = &line};
    const struct code_entry *entry = code_table_add(&symbols->table, address, &found);
    free(readable);
    return entry;
}

static const struct code_entry *look_up(struct own_symbols *symbols, uint64_t address) {
    const struct own_object *object = object_of(symbols, address - 1); /* in the call */
    if (object == NULL) {
        return code_table_add(&symbols->table, address, NULL);
    }
    const struct code_place *place =
        object->symbolizer != NULL ? symbolizer_glance(object->symbolizer, address) : NULL;
    if (place != NULL && place->lines[place->count - 1].file[0] != '\0') {
        return code_table_add(&symbols->table, address, place);
    }
    return by_name(symbols, address, object, place);
}

const struct code_place *own_symbols_find(void *state, uint64_t address) {
    struct own_symbols *symbols = state;
    const struct code_entry *entry = code_table_find(&symbols->table, address);
    entry = entry != NULL ? entry : look_up(symbols, address);
    return entry != NULL ? entry->place : NULL;
}

bool own_symbols_are_ready(void *state, uint64_t address) {
    struct own_symbols *symbols = state;
    const uint64_t until_ns = host_monotonic_ns() + READY_NS;
    if (code_table_find(&symbols->table, address) != NULL) {
        return true;
    }
    const struct own_object *object = object_of(symbols, address - 1);
    if (object == NULL || object->symbolizer == NULL) {
        return true;
    }
    bool is_ready = symbolizer_is_ready(object->symbolizer, address);
    while (!is_ready && host_monotonic_ns() < until_ns) {
        tool_await(&object->symbolizer->tool);
        is_ready = symbolizer_is_ready(object->symbolizer, address);
    }
    return is_ready;
}

const uint8_t *own_symbols_code(void *state, uint64_t start, uint64_t bytes) {
    const struct own_object *object = object_of(state, start);
    return object != NULL && object->symbolizer != NULL
               ? symbolizer_code(object->symbolizer, start, bytes)
               : NULL;
}

void own_symbols_free(struct own_symbols *symbols) {
    for (size_t i = 0; i < symbols->count; i++) {
        struct own_object *object = &symbols->objects[i];
        if (object->symbolizer != NULL) {
            symbolizer_close(object->symbolizer);
            free(object->symbolizer);
        }
        if (object->bytes != NULL) {
            (void)munmap((void *)(uintptr_t)object->bytes, object->length);
        }
        free(object->path);
    }
    code_table_free(&symbols->table);
    *symbols = (struct own_symbols){0};
}

void own_symbols_abandon(struct own_symbols *symbols) {
    for (size_t i = 0; i < symbols->count; i++) {
        if (symbols->objects[i].symbolizer != NULL) {
            tool_end(&symbols->objects[i].symbolizer->tool);
        }
    }
}
