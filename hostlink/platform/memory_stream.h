/* SPDX-License-Identifier: MIT */
/* Streams into memory. */
#ifndef HOSTLINK_PLATFORM_MEMORY_STREAM_H
#define HOSTLINK_PLATFORM_MEMORY_STREAM_H

#include <stddef.h>
#include <stdio.h>

/* After memory_stream_close() "*bytes" holds all that was written, ended by NUL and to be freed, and "*length" how
 * much. NULL: not enough memory. */
FILE *memory_stream_open(char **bytes, size_t *length);
/* 0; else not all was written, and there may be bytes to be freed. */
int memory_stream_close(FILE *file);

#endif
