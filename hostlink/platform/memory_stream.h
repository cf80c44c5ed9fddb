/* SPDX-License-Identifier: MIT */
/* Streams into memory. */
#ifndef HOSTLINK_PLATFORM_MEMORY_STREAM_H
#define HOSTLINK_PLATFORM_MEMORY_STREAM_H

#include <stddef.h>
#include <stdio.h>

/* After memory_stream_close() "*bytes" holds everything written, ended by NUL, for free(), and "*length" its length.
 * NULL: not enough memory. */
FILE *memory_stream_open(char **bytes, size_t *length);
/* 0; else not everything was written, and "*bytes" may need free(). */
int memory_stream_close(FILE *file);

#endif
