/* SPDX-License-Identifier: MIT */
/* Why a port cannot be opened. */
#include "platform/serial.h"

#include <ctype.h>
#include <dirent.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

/* proc(5): each descriptor is a link; follows it to the open file. */
static bool has_open(const char *process, const struct stat *device) {
    char path[PATH_MAX];
    struct stat open;
    bool found = false;
    (void)snprintf(path, sizeof path, "/proc/%.20s/fd", process);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && !found && (entry = readdir(folder)) != NULL) {
        (void)snprintf(path, sizeof path, "/proc/%.20s/fd/%.20s", process, entry->d_name);
        found = isdigit((unsigned char)entry->d_name[0]) && stat(path, &open) == 0 &&
                S_ISCHR(open.st_mode) && open.st_rdev == device->st_rdev;
    }
    if (folder) {
        closedir(folder);
    }
    return found;
}

static void describe(const char *process, char *text, size_t size) {
    char path[PATH_MAX], line[64], name[64];
    (void)snprintf(path, sizeof path, "/proc/%.20s/comm", process);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(line, 1, sizeof line, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    utf8_clean(name, sizeof name, line, length > 0 ? length - 1 : 0); /* without its line end */
    (void)snprintf(text, size, "%s (process %.20s)", name[0] != '\0' ? name : "a program", process);
}

bool port_holder(const char *path, char *text, size_t size) {
    struct stat device;
    bool found = false;
    if (stat(path, &device) != 0 || !S_ISCHR(device.st_mode)) {
        return false;
    }
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    while (folder && !found && (entry = readdir(folder)) != NULL) {
        found = isdigit((unsigned char)entry->d_name[0]) && atol(entry->d_name) != getpid() &&
                has_open(entry->d_name, &device);
        if (found) {
            describe(entry->d_name, text, size);
        }
    }
    if (folder) {
        closedir(folder);
    }
    return found;
}

void serial_explain_permission(const char *path, char *text, size_t size) {
    struct stat status;
    const struct group *group = stat(path, &status) == 0 ? getgrgid(status.st_gid) : NULL;
    const char *name = group && status.st_gid != 0 ? group->gr_name : "dialout";
    (void)snprintf(text, size,
                   "permission denied: add yourself to group %s (sudo usermod -aG %s \"$USER\"), "
                   "then log in again",
                   name, name);
}
