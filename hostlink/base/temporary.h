/* SPDX-License-Identifier: MIT */
/* Files without a name in $TMPDIR or /tmp, which are gone when they are closed. */
#ifndef HOSTLINK_TEMPORARY_H
#define HOSTLINK_TEMPORARY_H

#include <stddef.h>
#include <stdint.h>

/* A file descriptor, or -errno. */
int temporary_open(void);
/* All bytes, to any descriptor. 0 or -errno. */
int temporary_write(int fd, const uint8_t *bytes, size_t length);
/* Copies the rest of "from" to "to". 0 or -errno. */
int temporary_copy(int from, int to);

#endif
