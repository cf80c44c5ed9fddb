#include "client/own_symbols.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the C++ library, where the program has it. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status)
    __attribute__((weak));

/* What the dynamic linker says of an address. */
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
    const char *path = info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
    place->found = strlen(path) < sizeof place->path;
    if (place->found) {
        strcpy(place->path, path);
        place->bias = info->dlpi_addr;
    }
    return 1;
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

static void read_functions(struct own_object *object) {
    struct elf elf;
    if (object->bytes != NULL && elf_open(&elf, object->bytes, object->length) == 0) {
        (void)elf_functions_open(&object->functions, &elf);
    }
}

/* NULL: there are too many, or memory is short. One without a table of symbols is kept too, so that it is read once. */
static const struct own_object *object_of(struct own_symbols *symbols, const struct place *place) {
    for (size_t i = 0; i < symbols->count; i++) {
        struct own_object *object = &symbols->objects[i];
        if (object->bias == place->bias && strcmp(object->path, place->path) == 0) {
            return object;
        }
    }
    char *path = symbols->count < OWN_OBJECTS_MAX ? strdup(place->path) : NULL;
    if (path == NULL) {
        return NULL;
    }
    struct own_object *object = &symbols->objects[symbols->count++];
    *object = (struct own_object){.path = path, .bias = place->bias};
    map_file(object);
    read_functions(object);
    return object;
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(path, "/proc/self/exe") == 0 ? "" : slash != NULL ? slash + 1 : path;
}

/* A library without the function's name is named itself. */
static const struct code_entry *look_up(struct own_symbols *symbols, uint64_t address) {
    struct place place = {.address = address - 1}; /* in the call */
    (void)dl_iterate_phdr(look, &place);
    const struct own_object *object = place.found ? object_of(symbols, &place) : NULL;
    if (object == NULL) {
        return code_table_add(&symbols->table, address, NULL);
    }
    const struct elf_function *function =
        elf_functions_at(&object->functions, place.address - place.bias);
    const char *name = function != NULL ? function->name : "";
    char *readable = __cxa_demangle != NULL ? __cxa_demangle(name, NULL, NULL, &(int){0}) : NULL;
    const struct code_line line = {.function = readable != NULL ? readable : name,
                                   .file = file_name(object->path)};
    const struct code_place found = {.start = function != NULL ? function->start + place.bias : 0,
                                     .bytes =
                                         function != NULL ? function->end - function->start : 0,
                                     .count = 1,
                                     .lines = &line};
    const struct code_entry *entry = code_table_add(&symbols->table, address, &found);
    free(readable);
    return entry;
}

const struct code_place *own_symbols_find(void *state, uint64_t address) {
    struct own_symbols *symbols = state;
    const struct code_entry *entry = code_table_find(&symbols->table, address);
    entry = entry != NULL ? entry : look_up(symbols, address);
    return entry != NULL ? entry->place : NULL;
}

void own_symbols_free(struct own_symbols *symbols) {
    for (size_t i = 0; i < symbols->count; i++) {
        struct own_object *object = &symbols->objects[i];
        elf_functions_free(&object->functions);
        if (object->bytes != NULL) {
            (void)munmap((void *)(uintptr_t)object->bytes, object->length);
        }
        free(object->path);
    }
    code_table_free(&symbols->table);
    *symbols = (struct own_symbols){0};
}
