/* SPDX-License-Identifier: MIT */
#include "capture/capture.h"

#include <errno.h>
#include <string.h>

#include "base/file_use.h"
#include "base/human.h"
#include "base/say.h"
#include "base/temporary.h"
#include "kymo/wire.h"
#include "platform/file.h"

const uint8_t capture_magic[CAPTURE_MAGIC_BYTES] = {'k',  'y',  'm', 'o', KYMO_WIRE_VERSION,
                                                    '\r', '\n', 0};

/* A capture of any version, or the beginning of one. A file that cannot be read counts as one. */
static bool is_capture(int fd) {
    uint8_t head[CAPTURE_VERSION_AT];
    const ssize_t count = sys_read_at(fd, head, sizeof head, 0);
    return count < 0 || memcmp(head, capture_magic, (size_t)count) == 0;
}

/* The file is emptied only when it is certain that nobody else uses it. */
static int claim(int fd, const char *path) {
    struct sys_status opened, named;
    int error = file_claim(fd);
    bool moved = error == 0 && (sys_status(fd, &opened) != 0 || sys_status_of(path, &named) != 0 ||
                                !sys_is_same(&opened, &named));
    /* Another program has replaced the file between the two calls. */
    error = moved ? -EBUSY : error;
    if (error != 0 || opened.type != SYS_REGULAR || opened.bytes == 0) {
        return error;
    }
    if (!is_capture(fd)) {
        return -EEXIST;
    }
    say("%s: overwriting the capture that is there", path);
    return sys_truncate(fd, 0) == 0 ? 0 : -errno;
}

static int open_path(const char *path, bool exclusive) {
    if (strcmp(path, "-") == 0) {
        return SYS_STDOUT;
    }
    const unsigned flags = SYS_MAKE | (exclusive ? SYS_NEW : 0);
    int fd = sys_open(path, SYS_READ | SYS_WRITE |
                                flags); /* outputs are made of it, whatever has its name then */
    fd = fd < 0 && errno == EACCES ? sys_open(path, SYS_WRITE | flags) : fd;
    if (fd < 0) {
        return -errno;
    }
    int error = claim(fd, path);
    if (error) {
        (void)sys_close(fd);
        return error;
    }
    return fd;
}

int capture_open(struct capture *capture, const char *path, bool exclusive) {
    struct sys_status status;
    int fd = open_path(path, exclusive);
    if (fd < 0) {
        return fd;
    }
    bool regular = sys_status(fd, &status) == 0 && status.type == SYS_REGULAR && fd != SYS_STDOUT &&
                   sys_can_read_back(fd);
    *capture = (struct capture){.fd = fd, .path = path, .regular = regular, .spare_fd = -1};
    /* A disk that is full already is reported by the next call, like one that fills up later. */
    (void)capture_write(capture, capture_magic, CAPTURE_MAGIC_BYTES);
    return 0;
}

/* Returns how many bytes the file took before its first error. */
static size_t write_file(struct capture *capture, const uint8_t *bytes, size_t length) {
    size_t taken = 0;
    while (!capture->error && taken < length) {
        ssize_t count = sys_write(capture->fd, bytes + taken, length - taken);
        if (count < 0) {
            capture->error = -errno;
        }
        taken += count > 0 ? (size_t)count : 0;
    }
    capture->bytes += taken;
    return taken;
}

static void write_spare(struct capture *capture, const uint8_t *bytes, size_t length) {
    if (capture->spare_fd >= 0 && temporary_write(capture->spare_fd, bytes, length) != 0) {
        sys_close(capture->spare_fd);
        capture->spare_fd = -1;
    }
}

/* Copies the bytes in the file. A file without the whole magic has no others. */
static int copy_kept(const struct capture *capture, int to) {
    if (capture->bytes < CAPTURE_MAGIC_BYTES) {
        return temporary_write(to, capture_magic, CAPTURE_MAGIC_BYTES);
    }
    return sys_seek(capture->fd, 0, SEEK_SET) < 0 ? -errno : temporary_copy(capture->fd, to);
}

static void start_spare(struct capture *capture) {
    int fd = temporary_open();
    if (fd >= 0 && copy_kept(capture, fd) != 0) {
        sys_close(fd);
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
    if (capture->fd >= 0 && capture->regular && sys_sync(capture->fd) != 0 && !capture->error) {
        capture->error = -errno;
    }
    return capture->error;
}

bool capture_has_name(const struct capture *capture) {
    struct sys_status opened, named;
    return sys_status(capture->fd, &opened) != 0 ||
           (sys_status_of(capture->path, &named) == 0 && sys_is_same(&opened, &named));
}

int capture_close(struct capture *capture) {
    (void)capture_sync(capture);
    if (capture->fd < 0) {
        return capture->error;
    }
    if (capture->fd != SYS_STDOUT && sys_close(capture->fd) != 0 && !capture->error) {
        capture->error = -errno;
    }
    capture->fd = -1;
    return capture->error;
}

/* ---- the host clock in it ---- */

static size_t find_gap(const struct stamp *stamp, const uint8_t *bytes, size_t length) {
    if (!stamp->given || !stamp->in_packet) {
        return 0;
    }
    const uint8_t *zero = memchr(bytes, 0, length);
    return zero ? (size_t)(zero - bytes) + 1 : STAMP_NOT_HERE;
}

size_t stamp_place(struct stamp *stamp, const uint8_t *bytes, size_t length, uint64_t now_ns) {
    size_t place = STAMP_NOT_HERE;
    if (length == 0) {
        return place;
    }
    if (!stamp->given || now_ns - stamp->last_ns >= STAMP_PERIOD_NS) {
        place = find_gap(stamp, bytes, length);
    }
    if (place != STAMP_NOT_HERE) {
        stamp->given = true;
        stamp->last_ns = now_ns;
    }
    stamp->in_packet = bytes[length - 1] != 0;
    return place;
}
