/* SPDX-License-Identifier: MIT */
/* Files that people give in place of a trace, by their first bytes. */
#ifndef HOSTLINK_FILE_KIND_H
#define HOSTLINK_FILE_KIND_H

#include <stddef.h>
#include <stdint.h>

#define FILE_KIND_HEAD_BYTES 65536u

/* NULL: it may be a trace. Else the kind of file and the fix, for a message after "NAME: ". "head" is the whole file,
 * or its first FILE_KIND_HEAD_BYTES. */
const char *file_kind_why(const uint8_t *head, size_t length);
/* The same for an open plain file, from its current position: 0 where "*why" is NULL, -ENODATA if it is empty, else
 * -EINVAL. A read error here shows again when the file is read. */
int file_kind_look(int fd, const char **why);

#endif
