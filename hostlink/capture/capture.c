/* SPDX-License-Identifier: MIT */
#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_use.h"
#include "base/human.h"
#include "base/say.h"
#include "base/temporary.h"
#include "kymo/wire.h"

const uint8_t capture_magic[CAPTURE_MAGIC_BYTES] = {'k',  'y',  'm', 'o', KYMO_WIRE_VERSION,
                                                    '\r', '\n', 0};

static bool is_same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* A capture of any version, or the beginning of one. A file that cannot be read counts as one. */
static bool is_capture(int fd) {
    uint8_t head[CAPTURE_VERSION_AT];
    const ssize_t count = pread(fd, head, sizeof head, 0);
    return count < 0 || memcmp(head, capture_magic, (size_t)count) == 0;
}

/* What was in the file goes only when it is certain that nobody else uses it. */
static int claim(int fd, const char *path) {
    struct stat opened, named;
    int error = file_claim(fd);
    bool moved = error == 0 && (fstat(fd, &opened) != 0 || stat(path, &named) != 0 ||
                                !is_same_file(&opened, &named));
    /* Another program has replaced the file between the two calls. */
    error = moved ? -EBUSY : error;
    if (error != 0 || !S_ISREG(opened.st_mode) || opened.st_size == 0) {
        return error;
    }
    if (!is_capture(fd)) {
        return -EEXIST;
    }
    say("%s: overwriting the capture that is there", path);
    return ftruncate(fd, 0) == 0 ? 0 : -errno;
}

static int open_path(const char *path, bool exclusive) {
    if (strcmp(path, "-") == 0) {
        return STDOUT_FILENO;
    }
    const int flags = O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : 0);
    int fd =
        open(path, O_RDWR | flags, 0666); /* outputs are made of it, whatever has its name then */
    fd = fd < 0 && errno == EACCES ? open(path, O_WRONLY | flags, 0666) : fd;
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
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && fd != STDOUT_FILENO &&
                   (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
    *capture = (struct capture){.fd = fd, .path = path, .regular = regular, .spare_fd = -1};
    /* A disk that is full already is reported by the next call, like one that fills up later. */
    (void)capture_write(capture, capture_magic, CAPTURE_MAGIC_BYTES);
    return 0;
}

/* How many bytes the file took before its first error. */
static size_t write_file(struct capture *capture, const uint8_t *bytes, size_t length) {
    size_t taken = 0;
    while (!capture->error && taken < length) {
        ssize_t count = write(capture->fd, bytes + taken, length - taken);
        if (count < 0 && errno != EINTR) {
            capture->error = -errno;
        }
        taken += count > 0 ? (size_t)count : 0;
    }
    capture->bytes += taken;
    return taken;
}

static void write_spare(struct capture *capture, const uint8_t *bytes, size_t length) {
    if (capture->spare_fd >= 0 && temporary_write(capture->spare_fd, bytes, length) != 0) {
        close(capture->spare_fd);
        capture->spare_fd = -1;
    }
}

/* What the file has. A file without the whole magic has nothing else. */
static int copy_kept(const struct capture *capture, int to) {
    if (capture->bytes < CAPTURE_MAGIC_BYTES) {
        return temporary_write(to, capture_magic, CAPTURE_MAGIC_BYTES);
    }
    return lseek(capture->fd, 0, SEEK_SET) < 0 ? -errno : temporary_copy(capture->fd, to);
}

static void start_spare(struct capture *capture) {
    int fd = temporary_open();
    if (fd >= 0 && copy_kept(capture, fd) != 0) {
        close(fd);
        fd = -1;
    }
    capture->spare_fd = fd >= 0 ? fd : -1;
}

void capture_want_spare(struct capture *capture) {
    capture->wants_spare = capture->regular;
    if (capture->wants_spare && capture->error) {
        start_spare(capture);
    }
}

int capture_write(struct capture *capture, const uint8_t *bytes, size_t length) {
    bool good = !capture->error;
    size_t taken = write_file(capture, bytes, length);
    if (good && capture->error && capture->wants_spare) {
        start_spare(capture);
    }
    write_spare(capture, bytes + taken, length - taken);
    return capture->error;
}

void capture_say_unopened(const char *path, int error) {
    if (error == -EBUSY) {
        say("%s: " FILE_BUSY_TEXT, path);
    } else if (error == -EEXIST) {
        say("%s: is there, and no capture of hostlink, so it is not overwritten; choose another "
            "name, or remove it",
            path);
    } else {
        say("%s: cannot be written: %s", path, strerror(-error));
    }
}

void capture_say_error(const struct capture *capture) {
    char kept[HUMAN_SIZE];
    const char *rest = !capture->wants_spare ? "the capture goes on for viewers and the table"
                       : capture->spare_fd >= 0
                           ? "the capture goes on, and the other outputs will be whole"
                           : "the capture goes on for viewers and the table, but the other "
                             "outputs will hold no more than that: there is no room for a "
                             "temporary file in its place either";
    say("%s: cannot be written: %s; it keeps %s of the capture; %s",
        strcmp(capture->path, "-") == 0 ? "standard output" : capture->path,
        strerror(-capture->error),
        capture->bytes > CAPTURE_MAGIC_BYTES ? human_number(kept, (double)capture->bytes, "B")
                                             : "nothing",
        rest);
}

int capture_sync(struct capture *capture) {
    if (capture->fd >= 0 && capture->regular && fsync(capture->fd) != 0 && !capture->error) {
        capture->error = -errno;
    }
    return capture->error;
}

bool capture_has_name(const struct capture *capture) {
    struct stat opened, named;
    return fstat(capture->fd, &opened) != 0 ||
           (stat(capture->path, &named) == 0 && is_same_file(&opened, &named));
}

int capture_close(struct capture *capture) {
    (void)capture_sync(capture);
    if (capture->fd < 0) {
        return capture->error;
    }
    if (capture->fd != STDOUT_FILENO && close(capture->fd) != 0 && !capture->error) {
        capture->error = -errno;
    }
    capture->fd = -1;
    return capture->error;
}
