/* SPDX-License-Identifier: MIT */
/* The C library has no streams into memory: a temporary file is one until it is closed. */
#include "platform/memory_stream.h"

#include <stdlib.h>

#include "platform/file.h"

#define STREAMS 8

static struct {
    FILE *file;
    char **bytes;
    size_t *length;
} streams[STREAMS];

FILE *memory_stream_open(char **bytes, size_t *length) {
    for (size_t i = 0; i < STREAMS; i++) {
        if (!streams[i].file) {
            const int fd = sys_open_temporary();
            streams[i].file = fd >= 0 ? _fdopen(fd, "w+b") : NULL;
            streams[i].bytes = bytes;
            streams[i].length = length;
            *bytes = NULL;
            return streams[i].file;
        }
    }
    return NULL;
}

static int read_back(FILE *file, char **bytes, size_t *length) {
    const int64_t size = fflush(file) == 0 ? sys_seek(fileno(file), 0, SEEK_END) : -1;
    char *copy = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (!copy) {
        return EOF;
    }
    *bytes = copy;
    *length = (size_t)size;
    copy[size] = '\0';
    return sys_read_at(fileno(file), copy, (size_t)size, 0) == (ssize_t)size ? 0 : EOF;
}

int memory_stream_close(FILE *file) {
    int error = EOF;
    for (size_t i = 0; i < STREAMS; i++) {
        if (streams[i].file == file) {
            error = read_back(file, streams[i].bytes, streams[i].length);
            streams[i].file = NULL;
        }
    }
    return fclose(file) == 0 ? error : EOF;
}
