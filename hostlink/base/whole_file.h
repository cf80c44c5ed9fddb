/* SPDX-License-Identifier: MIT */
/* A file's bytes, all of them, in memory. */
#ifndef HOSTLINK_WHOLE_FILE_H
#define HOSTLINK_WHOLE_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Reads "path" to its end; free() *bytes. 0, or -errno with nothing to free: -ENODEV for a device. */
int whole_file_read(const char *path, uint8_t **bytes, size_t *length);

#endif
