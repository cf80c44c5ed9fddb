/* SPDX-License-Identifier: MIT */
#include "base/whole_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "platform/file.h"

/* Room for one byte more than the file has shows its end; a pipe has no size and grows. */
static size_t first_size(int fd) {
    struct sys_status status;
    bool known = sys_status(fd, &status) == 0 && status.type == SYS_REGULAR && status.bytes > 0;
    return known ? (size_t)status.bytes + 1 : 65536;
}

/* A pipe may have no end. */
#define PIPE_BYTES_MAX ((size_t)1 << 30)

static int read_all(int fd, size_t most, uint8_t **bytes, size_t *length) {
    size_t size = 0;
    for (size_t wanted = first_size(fd);;) {
        if (*length > most) {
            return -EFBIG;
        }
        if (*length == size) {
            uint8_t *larger = realloc(*bytes, wanted);
            if (!larger) {
                return -ENOMEM;
            }
            *bytes = larger;
            size = wanted;
            wanted *= 2;
        }
        ssize_t count = sys_read(fd, *bytes + *length, size - *length);
        if (count == 0) {
            return 0;
        }
        if (count < 0) {
            return -errno;
        }
        *length += count > 0 ? (size_t)count : 0;
    }
}

/* A device, for example /dev/zero, is not a file, and may have no end. */
static int read_file(int fd, uint8_t **bytes, size_t *length) {
    struct sys_status status;
    if (sys_status(fd, &status) != 0) {
        return -errno;
    }
    return status.type == SYS_CHARACTERS || status.type == SYS_BLOCKS
               ? -ENODEV
               : read_all(fd, status.type == SYS_REGULAR ? SIZE_MAX : PIPE_BYTES_MAX, bytes,
                          length);
}

int whole_file_read(const char *path, uint8_t **bytes, size_t *length) {
    int fd = sys_open(path, SYS_READ);
    if (fd < 0) {
        return -errno;
    }
    *bytes = NULL;
    *length = 0;
    int error = read_file(fd, bytes, length);
    sys_close(fd);
    if (error) {
        free(*bytes);
        *bytes = NULL;
    }
    return error;
}
