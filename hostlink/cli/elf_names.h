/* SPDX-License-Identifier: MIT */
/* The option --elf: names from the ELF file of the program that the board runs. */
#ifndef HOSTLINK_ELF_NAMES_H
#define HOSTLINK_ELF_NAMES_H

#include "cli/elf_images.h"
#include "elf/sites.h"
#include "model/names_from_elf.h"

/* Rows of a table of options, which say what takes the value. */
#define ELF_NAMES_SPEC(...)                                                                        \
    {                                                                                              \
        "elf", 'e', "IMAGE",                                                                       \
            "the program that the board runs, as the linker wrote it:\n"                           \
            "for names that the board does not send; repeats for\n"                                \
            "modules that it loads, IMAGE@0xADDRESS where to;\n"                                   \
            "NAME=FILE is the program of a device or its core",                                    \
            __VA_ARGS__                                                                            \
    }

#define SYMBOLIZER_SPEC(...)                                                                       \
    {                                                                                              \
        "symbolizer", 0, "PROGRAM",                                                                \
            "what looks up the addresses of call stacks in it: an\n"                               \
            "addr2line or llvm-symbolizer (default: one that knows\n"                              \
            "the machine), or 'none'; or $KYMO_SYMBOLIZER names it",                               \
            __VA_ARGS__                                                                            \
    }

/* All zero, and the files are added, before it is open. */
struct elf_names {
    struct elf_images images;
    struct sites sites; /* of the program */
    struct known_image image;
    bool unlocated;         /* that it is not known where the program was loaded was said */
    bool accepted, refused; /* a board runs it; a board runs another one, which was said */
    struct symbols symbols;
};

/* The program that the option or the environment names, or NULL. */
const char *elf_names_symbolizer(const char *symbolizer);
/* Reads the files, if any are given. "symbolizer" is the option's, or NULL. False: an error, which was reported. */
bool elf_names_open(struct elf_names *names, const char *symbolizer);
/* Does the slow work now, and not at the first call stack. */
void elf_names_prepare(struct elf_names *names);
void elf_names_close(struct elf_names *names);
/* The file's e_machine, 0 without a file. */
uint16_t elf_names_machine(const struct elf_names *names);
/* The names for a pipeline; NULL without a file. */
const struct known_image *elf_names_image(const struct elf_names *names);

#endif
