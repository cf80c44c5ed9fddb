/* SPDX-License-Identifier: MIT */
#include "source/source.h"

#include <errno.h>
#include <stdarg.h>

#include "platform/file.h"

int source_fail(struct source *source, int error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(source->why, sizeof source->why, format, args);
    va_end(args);
    return error;
}

void source_close(struct source *source) {
    if (source->fd > SYS_STDERR) {
        sys_close(source->fd);
    }
    source->fd = -1;
    if (source->attempt.socket != 0) {
        sys_close(source->attempt.socket - 1);
        source->attempt.socket = 0;
    }
    if (source->unlink_path[0] != '\0') {
        sys_remove(source->unlink_path);
    }
}

ssize_t source_read(struct source *source, uint8_t *bytes, size_t size) {
    ssize_t count = sys_read(source->fd, bytes, size);
    if (count > 0) {
        return count;
    }
    if (count == 0) {
        return source->hangup_is_end ? 0 : -EIO;
    }
    if (errno == EINTR || errno == EAGAIN) {
        return -EAGAIN;
    }
    /* A pseudo-terminal's reader gets EIO when the writer has closed it. */
    return errno == EIO && source->hangup_is_end ? 0 : -errno;
}

ssize_t source_write(struct source *source, const uint8_t *bytes, size_t length) {
    if (!source->two_way) {
        return -EBADF;
    }
    ssize_t count = sys_write(source->fd, bytes, length);
    return count < 0 ? -errno : count;
}
