#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/say.h"
#include "kymo/wire.h"

const uint8_t capture_magic[CAPTURE_MAGIC_BYTES] = {'k',  'y',  'm', 'o', KYMO_WIRE_VERSION,
                                                    '\r', '\n', 0};

static int open_path(const char *path, bool exclusive) {
    if (strcmp(path, "-") == 0) {
        return STDOUT_FILENO;
    }
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : O_TRUNC);
    int fd = open(path, flags, 0666);
    return fd < 0 ? -errno : fd;
}

int capture_open(struct capture *capture, const char *path, bool exclusive) {
    struct stat status;
    int fd = open_path(path, exclusive);
    if (fd < 0) {
        return fd;
    }
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && fd != STDOUT_FILENO;
    *capture = (struct capture){.fd = fd, .path = path, .regular = regular};
    /* A disk that is full already is reported by the next call, like one that fills up later. */
    (void)capture_write(capture, capture_magic, CAPTURE_MAGIC_BYTES);
    return 0;
}

int capture_write(struct capture *capture, const uint8_t *bytes, size_t length) {
    while (!capture->error && length > 0) {
        ssize_t count = write(capture->fd, bytes, length);
        if (count < 0 && errno != EINTR) {
            capture->error = -errno;
        }
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
            capture->bytes += (uint64_t)count;
        }
    }
    return capture->error;
}

void capture_say_error(const struct capture *capture) {
    say("%s: cannot be written: %s; the capture goes on, but it is kept only up to here",
        strcmp(capture->path, "-") == 0 ? "standard output" : capture->path,
        strerror(-capture->error));
}

int capture_close(struct capture *capture) {
    if (capture->fd < 0) {
        return capture->error;
    }
    if (capture->regular && fsync(capture->fd) != 0 && !capture->error) {
        capture->error = -errno;
    }
    if (capture->fd != STDOUT_FILENO && close(capture->fd) != 0 && !capture->error) {
        capture->error = -errno;
    }
    capture->fd = -1;
    return capture->error;
}
