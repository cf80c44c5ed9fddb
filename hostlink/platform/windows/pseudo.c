/* SPDX-License-Identifier: MIT */
#include "platform/pseudo.h"

#include <errno.h>

int pseudo_terminal_make(int *fd, char *name, size_t size) {
    (void)fd, (void)name, (void)size;
    return -ENOTSUP;
}

int pseudo_terminal_link(const char *name, const char *link) {
    (void)name, (void)link;
    errno = ENOTSUP;
    return -1;
}
