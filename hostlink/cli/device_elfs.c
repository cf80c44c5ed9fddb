/* SPDX-License-Identifier: MIT */
#include "cli/device_elfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/whole_file.h"
#include "platform/file.h"

#define SECTION ".kymo_device_sites"

const char *device_elfs_file(const char *text) {
    const size_t name = strcspn(text, "=");
    return text[name] != '=' || name == 0 || text[name + 1] == '\0' || sys_exists(text)
               ? NULL
               : text + name + 1;
}

bool device_elfs_add(struct device_elfs *elfs, const char *text) {
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

bool device_elfs_open(struct device_elfs *elfs) {
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

void device_elfs_close(struct device_elfs *elfs) {
    for (uint32_t i = 0; i < elfs->count; i++) {
        free(elfs->list[i].name);
        free(elfs->list[i].bytes);
    }
    elfs->count = 0;
}
