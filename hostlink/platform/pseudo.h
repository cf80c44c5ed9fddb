/* SPDX-License-Identifier: MIT */
/* Pseudo-terminals, where the system has them. */
#ifndef HOSTLINK_PLATFORM_PSEUDO_H
#define HOSTLINK_PLATFORM_PSEUDO_H

#include <stddef.h>

/* Makes one that never waits, and whose bytes nobody changes; "name" is for the other side. 0 or -errno: -ENOTSUP, the
 * system has none. */
int pseudo_terminal_make(int *fd, char *name, size_t size);
/* Another name for it. 0, or -1 with errno set. */
int pseudo_terminal_link(const char *name, const char *link);

#endif
