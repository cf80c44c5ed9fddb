/* SPDX-License-Identifier: MIT */
#include "base/file_use.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_node(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool get_status(const char *path, int dash, struct stat *status) {
    return (strcmp(path, "-") == 0 ? fstat(dash, status) : stat(path, status)) == 0;
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool get_folder(const char *path, struct stat *status) {
    size_t length = (size_t)(last_part(path) - path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    bool found = folder && stat(folder, status) == 0;
    free(folder);
    return found;
}

/* Neither is there yet. */
static bool will_be_same(const char *a, const char *b) {
    struct stat in_a, in_b;
    return strcmp(last_part(a), last_part(b)) == 0 && get_folder(a, &in_a) &&
           get_folder(b, &in_b) && is_same_node(&in_a, &in_b);
}

bool file_is_same(const char *a, int a_dash, const char *b, int b_dash) {
    struct stat is_a, is_b;
    bool has_a = get_status(a, a_dash, &is_a), has_b = get_status(b, b_dash, &is_b);
    if (!has_a && !has_b) {
        return will_be_same(a, b);
    }
    return has_a && has_b && !S_ISCHR(is_a.st_mode) && is_same_node(&is_a, &is_b);
}

static bool is_regular(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

int file_claim(int fd) {
    bool busy = is_regular(fd) && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return busy ? -EBUSY : 0;
}

void file_share(int fd) {
    if (is_regular(fd)) {
        (void)flock(fd, LOCK_SH | LOCK_NB);
    }
}

bool file_is_claimed(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool claimed = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) {
        close(fd);
    }
    return claimed;
}
