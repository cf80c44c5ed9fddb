/* SPDX-License-Identifier: MIT */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int temporary_open(void) {
    char path[512];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/hostlink.XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    unlink(path);
    return fd;
}

int temporary_write(int fd, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = write(fd, bytes, length);
        if (count < 0 && errno != EINTR) {
            return -errno;
        }
        bytes += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
    return 0;
}

int temporary_copy(int from, int to) {
    static uint8_t buffer[65536];
    for (;;) {
        ssize_t count = read(from, buffer, sizeof buffer);
        if (count == 0) {
            return 0;
        }
        if (count < 0 && errno != EINTR) {
            return -errno;
        }
        int error = count > 0 ? temporary_write(to, buffer, (size_t)count) : 0;
        if (error) {
            return error;
        }
    }
}
