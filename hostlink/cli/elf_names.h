/* The option --elf: names from the ELF file of the program that the board runs. */
#ifndef HOSTLINK_ELF_NAMES_H
#define HOSTLINK_ELF_NAMES_H

#include "base/options.h"
#include "elf/sites.h"
#include "trace/borrow.h"

#define ELF_NAMES_SPEC                                                                             \
    {                                                                                              \
        "elf", 'e', "IMAGE",                                                                       \
            "the program that the board runs, as the linker wrote it:\n"                           \
            "for names that the board does not send"                                               \
    }

struct elf_names {
    const char *path;
    uint8_t *bytes;
    struct elf elf;
    struct sites sites;
    struct known_image image;
    bool refused; /* said */
};

/* Reads the file, if there is a path. False: said what is wrong with it. */
bool elf_names_open(struct elf_names *names, const char *path);
void elf_names_close(struct elf_names *names);
/* What to give to a pipeline; NULL without a file. */
const struct known_image *elf_names_image(const struct elf_names *names);

#endif
