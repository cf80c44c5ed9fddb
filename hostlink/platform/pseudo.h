/* SPDX-License-Identifier: MIT */
/* Pseudo-terminals, where the system has them. */
#ifndef HOSTLINK_PLATFORM_PSEUDO_H
#define HOSTLINK_PLATFORM_PSEUDO_H

#include <stddef.h>

/* Makes a pseudo-terminal that never waits and changes no bytes; "name" is for the other side. 0 or -errno: -ENOTSUP,
 * the system does not have them. */
int pseudo_terminal_make(int *fd, char *name, size_t size);
/* Another name for it. 0, or -1 with errno set. */
int pseudo_terminal_link(const char *name, const char *link);

#endif
