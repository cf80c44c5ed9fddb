/* SPDX-License-Identifier: MIT */
#include "base/temporary.h"

#include <errno.h>

#include "platform/file.h"

int temporary_open(void) {
    const int fd = sys_open_temporary();
    return fd < 0 ? -errno : fd;
}

int temporary_write(int fd, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = sys_write(fd, bytes, length);
        if (count < 0) {
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
        ssize_t count = sys_read(from, buffer, sizeof buffer);
        if (count == 0) {
            return 0;
        }
        if (count < 0) {
            return -errno;
        }
        int error = count > 0 ? temporary_write(to, buffer, (size_t)count) : 0;
        if (error) {
            return error;
        }
    }
}
