/* SPDX-License-Identifier: MIT */
/* The files of the option --elf: the program that the board runs, and modules that it loads. An address is looked up
 * in the file that has code there. */
#ifndef HOSTLINK_ELF_IMAGES_H
#define HOSTLINK_ELF_IMAGES_H

#include "base/options.h"
#include "device/devices.h"
#include "elf/elf.h"
#include "symbol/symbolizer.h"

/* Of NAME=FILE: names of sites from the ELF files of devices' programs. */
#define DEVICE_ELFS_MAX 32u

struct device_elf {
    char *name; /* of a core, of a device, or DEVICE/CORE */
    const char *path;
    uint8_t *bytes;
    struct elf elf;
    struct elf_area sites;
    bool is_asked, is_missed; /* one of its sites was looked for; and not found in any file */
};

/* All zero is empty. */
struct device_elfs {
    struct device_elf list[DEVICE_ELFS_MAX];
    uint32_t count;
    char asked[128];           /* DEVICE/CORE of which a site was looked for last */
    struct device_names names; /* what to give to a pipeline, once it is open */
};

/* Reports files that named nothing, or are of other programs than those that ran. */
void device_elfs_say_missed(const struct device_elfs *elfs);

#define ELF_IMAGES_MAX 16u

struct elf_image {
    char *path;
    uint8_t *bytes;
    struct elf elf;
    uint64_t place;  /* that the option gives */
    bool is_placed;  /* it does */
    bool is_loaded;  /* now, as far as is known */
    bool was_loaded; /* once at least: the symbolizer has its bias */
    struct symbolizer symbolizer;
};

struct elf_images {
    const char *given[ELF_IMAGES_MAX]; /* IMAGE or IMAGE@ADDRESS */
    size_t given_count;
    struct device_elfs devices; /* NAME=FILE */
    /* Since elf_images_open(). The first is the program, and has the table of all look-ups. */
    struct elf_image *list;
    size_t count;
    bool missed;       /* an address that no file has was looked for */
    bool overlap_said; /* that the firmware loaded two to one place */
};

/* Takes the current value. 0, or OPTIONS_WRONG. */
int elf_images_add(void *images, const struct options *options);
/* Reads the files, if any are given. "symbolizer" is the program that looks up addresses, or NULL. False: an error,
 * which was reported. */
bool elf_images_open(struct elf_images *images, const char *symbolizer);
void elf_images_close(struct elf_images *images);
/* For a message: which modules were never found. */
void elf_images_say_missed(const struct elf_images *images);
/* The board starts: the modules that it had reported are not loaded any more. */
void elf_images_restart(struct elf_images *images);
/* Adds the paths to "paths", which has "count"; their number then. */
size_t elf_images_paths(const struct elf_images *images, const char **paths, size_t count);
/* The symbols of the file that has code at this address; else the program's. */
struct symbolizer *elf_images_at(const struct elf_images *images, uint64_t address);

/* The calls of struct symbols, for all files. Functions of modules are named with the module: "step [engine.so]". */
const struct code_place *elf_images_find(struct elf_images *images, uint64_t address);
const struct code_place *elf_images_glance(struct elf_images *images, uint64_t address);
void elf_images_heard(struct elf_images *images, const char *text);

#endif
