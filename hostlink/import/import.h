/* SPDX-License-Identifier: MIT */
/* The formats of other programs that hostlink import reads: each plays a board. */
#ifndef HOSTLINK_IMPORT_H
#define HOSTLINK_IMPORT_H

#include "elf/functions.h"
#include "import/played.h"

struct import_file {
    const char *bytes;
    size_t length;
    const struct elf_functions *functions; /* of --elf, or NULL */
};

struct import_result {
    const char *why;   /* the error in the file, NULL: none */
    uint64_t at;       /* the byte where */
    bool cut;          /* the file ends early: its complete part was read */
    uint64_t events;   /* that were taken */
    uint64_t left_out; /* that have no form here; "left_out_text" says which */
    char left_out_text[120];
};

struct import_format {
    const char *name; /* "chrome" */
    const char *help;
    bool needs_elf;
    /* Whether the file looks like it. */
    bool (*is_it)(const struct import_file *file);
    void (*read)(const struct import_file *file, struct played *played,
                 struct import_result *result);
};

/* The one list, ended by NULL. */
extern const struct import_format *const import_formats[];

#endif
