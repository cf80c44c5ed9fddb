/* SPDX-License-Identifier: MIT */
#include "tracy/source_code.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "platform/file.h"

/* Languages of firmware, and of models that run on it. */
static const char *const endings[] = {
    ".c",   ".h",   ".cc",  ".cpp",   ".cxx",  ".c++",  ".hh",  ".hpp", ".hxx",
    ".inl", ".inc", ".ipp", ".tpp",   ".s",    ".asm",  ".ino", ".rs",  ".zig",
    ".adb", ".ads", ".nim", ".d",     ".m",    ".mm",   ".cu",  ".cuh", ".cl",
    ".f",   ".f90", ".go",  ".swift", ".odin", ".mlir", ".ll",  ".py",
};

static bool is_source(const char *name) {
    const char *end = strrchr(name, '.');
    for (size_t i = 0; end != NULL && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcasecmp(end, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int read_whole(int fd, uint8_t *bytes, size_t size) {
    size_t used = 0;
    while (used < size) {
        ssize_t count = sys_read(fd, bytes + used, size - used);
        if (count < 0) {
            return -errno;
        }
        if (count == 0) {
            break; /* it became shorter meanwhile */
        }
        used += (size_t)count;
    }
    return (int)used;
}

/* "path" has no symbolic link at its end. */
static int read_file(const char *path, int64_t before_s, uint8_t *bytes) {
    struct sys_status status;
    int fd = sys_open(path, SYS_READ | SYS_NO_WAIT | SYS_NO_LINK);
    if (fd < 0) {
        return -errno;
    }
    int result = 0;
    if (sys_status(fd, &status) != 0 || status.type != SYS_REGULAR) {
        result = -ENOENT;
    } else if (status.bytes > TRACY_SOURCE_BYTES_MAX) {
        result = -EFBIG;
    } else if (status.changed_s >= before_s) {
        result = -ESTALE;
    } else {
        result = read_whole(fd, bytes, (size_t)status.bytes);
    }
    (void)sys_close(fd);
    return result;
}

/* The real name must be that of a source file too, and in the folder: links may lead anywhere. */
static int read_inside(const char *root, const char *name, int64_t before_s, uint8_t *bytes) {
    char joined[SYS_PATH_BYTES], real[SYS_PATH_BYTES];
    size_t length = strlen(root);
    int wanted = snprintf(joined, sizeof joined, "%s/%s", root, name);
    if (wanted < 0 || (size_t)wanted >= sizeof joined || sys_real_path(joined, real) == NULL) {
        return -ENOENT;
    }
    bool inside = strncmp(real, root, length) == 0 && (real[length] == '/' || length == 1);
    return inside && is_source(real) ? read_file(real, before_s, bytes) : -ENOENT;
}

static bool climbs(const char *name) {
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            return true;
        }
    }
    return false;
}

/* First all of the name, then without its first folder, and so on. */
static int read_in_folder(const char *folder, const char *name, int64_t before_s, uint8_t *bytes) {
    char root[SYS_PATH_BYTES];
    int result = -ENOENT;
    if (sys_real_path(folder, root) == NULL) {
        return -ENOENT;
    }
    for (const char *rest = name; rest != NULL && result == -ENOENT;) {
        rest += strspn(rest, "/");
        if (!climbs(rest)) {
            result = read_inside(root, rest, before_s, bytes);
        }
        rest = strchr(rest, '/');
    }
    return result;
}

int tracy_source_read(const struct tracy_source_folders *folders, const char *name,
                      int64_t before_s, uint8_t *bytes) {
    char real[SYS_PATH_BYTES];
    int result = -ENOENT;
    if (!is_source(name)) {
        return -ENOENT;
    }
    for (size_t i = 0; i < folders->count && result == -ENOENT; i++) {
        result = read_in_folder(folders->path[i], name, before_s, bytes);
    }
    if (result == -ENOENT && folders->as_named && sys_real_path(name, real) != NULL &&
        is_source(real)) {
        result = read_file(real, before_s, bytes);
    }
    return result;
}
