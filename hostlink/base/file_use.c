/* SPDX-License-Identifier: MIT */
#include "base/file_use.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"

static bool get_status(const char *path, int dash, struct sys_status *status) {
    return (strcmp(path, "-") == 0 ? sys_status(dash, status) : sys_status_of(path, status)) == 0;
}

static bool get_folder(const char *path, struct sys_status *status) {
    size_t length = (size_t)(sys_last_part(path) - path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    bool found = folder && sys_status_of(folder, status) == 0;
    free(folder);
    return found;
}

/* Neither is there yet. */
static bool will_be_same(const char *a, const char *b) {
    struct sys_status in_a, in_b;
    return strcmp(sys_last_part(a), sys_last_part(b)) == 0 && get_folder(a, &in_a) &&
           get_folder(b, &in_b) && sys_is_same(&in_a, &in_b);
}

bool file_is_same(const char *a, int a_dash, const char *b, int b_dash) {
    struct sys_status is_a, is_b;
    bool has_a = get_status(a, a_dash, &is_a), has_b = get_status(b, b_dash, &is_b);
    if (!has_a && !has_b) {
        return will_be_same(a, b);
    }
    return has_a && has_b && is_a.type != SYS_CHARACTERS && sys_is_same(&is_a, &is_b);
}

static bool is_regular(int fd) {
    struct sys_status status;
    return sys_status(fd, &status) == 0 && status.type == SYS_REGULAR;
}

int file_claim(int fd) {
    bool busy = is_regular(fd) && sys_lock(fd, false) != 0 && errno == EAGAIN;
    return busy ? -EBUSY : 0;
}

void file_share(int fd) {
    if (is_regular(fd)) {
        (void)sys_lock(fd, true);
    }
}

bool file_is_claimed(const char *path) {
    struct sys_status status;
    if (sys_status_of(path, &status) != 0 || status.type != SYS_REGULAR) {
        return false;
    }
    int fd = sys_open(path, SYS_READ | SYS_NO_WAIT);
    bool claimed = fd >= 0 && sys_lock(fd, true) != 0 && errno == EAGAIN;
    if (fd >= 0) {
        sys_close(fd);
    }
    return claimed;
}
