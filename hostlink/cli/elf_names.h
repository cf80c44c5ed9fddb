/* The option --elf: names from the ELF file of the program that the board runs. */
#ifndef HOSTLINK_ELF_NAMES_H
#define HOSTLINK_ELF_NAMES_H

#include "base/options.h"
#include "elf/sites.h"
#include "model/borrow.h"
#include "symbol/symbolizer.h"

#define ELF_NAMES_SPEC                                                                             \
    {                                                                                              \
        "elf", 'e', "IMAGE",                                                                       \
            "the program that the board runs, as the linker wrote it:\n"                           \
            "for names that the board does not send"                                               \
    }

#define SYMBOLIZER_SPEC                                                                            \
    {                                                                                              \
        "symbolizer", 0, "PROGRAM",                                                                \
            "what looks up the addresses of call stacks in it: an\n"                               \
            "addr2line or llvm-symbolizer (default: one that knows\n"                              \
            "the machine), or 'none'; or $KYMO_SYMBOLIZER names it"                                \
    }

struct elf_names {
    const char *path;
    uint8_t *bytes;
    struct elf elf;
    struct sites sites;
    struct known_image image;
    bool located, unlocated; /* where it was loaded is known; is not, which was said */
    bool accepted, refused;  /* a board runs it; a board runs another one, which was said */
    struct symbolizer symbolizer;
    struct symbols symbols;
};

/* The program that the option or the environment names, or NULL. */
const char *elf_names_symbolizer(const char *symbolizer);
/* Reads the file, if there is a path. "symbolizer" is the option's, or NULL. False: said what is wrong with it. */
bool elf_names_open(struct elf_names *names, const char *path, const char *symbolizer);
/* What takes time is done now, and not at the first call stack. */
void elf_names_prepare(struct elf_names *names);
void elf_names_close(struct elf_names *names);
/* The file's e_machine, 0 without a file. */
uint16_t elf_names_machine(const struct elf_names *names);
/* What to give to a pipeline; NULL without a file. */
const struct known_image *elf_names_image(const struct elf_names *names);

#endif
