#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_use.h"
#include "base/say.h"
#include "kymo/wire.h"

const uint8_t capture_magic[CAPTURE_MAGIC_BYTES] = {'k',  'y',  'm', 'o', KYMO_WIRE_VERSION,
                                                    '\r', '\n', 0};

/* What was in the file goes only when it is certain that nobody else uses it. */
static int claim(int fd, const char *path) {
    struct stat opened, named;
    int error = file_claim(fd);
    bool moved = error == 0 && (fstat(fd, &opened) != 0 || stat(path, &named) != 0 ||
                                opened.st_dev != named.st_dev || opened.st_ino != named.st_ino);
    /* Another program has replaced the file between the two calls. */
    error = moved ? -EBUSY : error;
    if (error == 0 && S_ISREG(opened.st_mode) && ftruncate(fd, 0) != 0) {
        error = -errno;
    }
    return error;
}

static int open_path(const char *path, bool exclusive) {
    if (strcmp(path, "-") == 0) {
        return STDOUT_FILENO;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : 0), 0666);
    if (fd < 0) {
        return -errno;
    }
    int error = claim(fd, path);
    if (error) {
        (void)close(fd);
        return error;
    }
    return fd;
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

void capture_say_unopened(const char *path, int error) {
    if (error == -EBUSY) {
        say("%s: " FILE_BUSY_TEXT, path);
    } else {
        say("%s: cannot be written: %s", path, strerror(-error));
    }
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
