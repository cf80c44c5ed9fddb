/* SPDX-License-Identifier: MIT */
#include "platform/memory_stream.h"

FILE *memory_stream_open(char **bytes, size_t *length) { return open_memstream(bytes, length); }

int memory_stream_close(FILE *file) { return fclose(file); }
