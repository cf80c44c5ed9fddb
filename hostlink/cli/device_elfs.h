/* SPDX-License-Identifier: MIT */
/* The option --elf NAME=FILE: names of sites from the ELF files of devices' programs. */
#ifndef HOSTLINK_DEVICE_ELFS_H
#define HOSTLINK_DEVICE_ELFS_H

#include "device/devices.h"
#include "elf/elf.h"

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

/* Returns the text after '=' if it is NAME=FILE, and no file has the whole text as its name; else NULL. */
const char *device_elfs_file(const char *text);
/* Adds a text of that form. False: too many. */
bool device_elfs_add(struct device_elfs *elfs, const char *text);
/* False: one has an error, which was reported. */
bool device_elfs_open(struct device_elfs *elfs);
/* Reports files that named nothing, or are of other programs than those that ran. */
void device_elfs_say_missed(const struct device_elfs *elfs);
void device_elfs_close(struct device_elfs *elfs);

#endif
