/* SPDX-License-Identifier: MIT */
#include "sink/outfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_use.h"
#include "platform/file.h"

/* Names of part files to try; earlier processes with the same process id may have left some. */
#define PARTS_MAX 1000u
#define NOWHERE (-1)

/* Devices, pipes and sockets cannot be replaced by a rename: they are written in place. */
static int find_target(const char *path, bool *in_place) {
    struct sys_status status;
    *in_place = false;
    if (sys_status_of(path, &status) != 0) {
        return errno == ENOENT ? 0 : -errno;
    }
    if (status.type == SYS_FOLDER) {
        return -EISDIR;
    }
    /* A rename would replace a file that its owner has protected against writing. */
    if (sys_check_writable(path) != 0) {
        return -errno;
    }
    *in_place = status.type != SYS_REGULAR;
    return file_is_claimed(path) ? -EBUSY : 0;
}

static void release(struct outfile *out) {
    free(out->path);
    free(out->part);
    free(out);
}

/* A file that was not there before: nothing of another program's is opened, and no link is followed. */
static int open_part(struct outfile *out, const char *path) {
    size_t size = strlen(path) + sizeof ".-2147483648-1000.part";
    out->path = strdup(path);
    out->part = malloc(size);
    if (!out->path || !out->part) {
        return -ENOMEM;
    }
    for (unsigned i = 0; i < PARTS_MAX; i++) {
        (void)snprintf(out->part, size, "%s.%d-%u.part", path, (int)sys_process_number(), i);
        out->fd = sys_open(out->part, SYS_WRITE | SYS_NEW);
        if (out->fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    return out->fd >= 0 ? 0 : -errno;
}

/* A file that took the name since the check is not truncated. */
static int open_in_place(struct outfile *out, const char *path) {
    struct sys_status status;
    out->fd = sys_open(path, SYS_WRITE);
    if (out->fd < 0) {
        return -errno;
    }
    if (sys_status(out->fd, &status) == 0 && status.type == SYS_REGULAR) {
        sys_close(out->fd);
        return -EBUSY;
    }
    return 0;
}

static int open_target(struct outfile *out, const char *path) {
    bool in_place;
    if (path[0] == '\0') {
        return -ENOENT;
    }
    if (strcmp(path, "-") == 0) {
        out->fd = SYS_STDOUT;
        return 0;
    }
    int error = find_target(path, &in_place);
    if (error) {
        return error;
    }
    return in_place ? open_in_place(out, path) : open_part(out, path);
}

int outfile_open(struct outfile **result, const char *path) {
    struct outfile *out = malloc(sizeof *out);
    if (!out) {
        return -ENOMEM;
    }
    out->error = 0;
    out->path = out->part = NULL;
    out->used = 0;
    int error = open_target(out, path);
    if (error) {
        release(out);
        return error;
    }
    *result = out;
    return 0;
}

int outfile_open_nowhere(struct outfile **result) {
    struct outfile *out = malloc(sizeof *out);
    if (!out) {
        return -ENOMEM;
    }
    out->fd = NOWHERE;
    out->error = 0;
    out->path = out->part = NULL;
    out->used = 0;
    *result = out;
    return 0;
}

static void write_out(struct outfile *out, const char *bytes, size_t length) {
    while (length > 0 && !out->error && out->fd != NOWHERE) {
        ssize_t count = sys_write(out->fd, bytes, length);
        if (count < 0) {
            out->error = -errno;
        }
        bytes += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
}

void outfile_flush(struct outfile *out) {
    write_out(out, out->buffer, out->used);
    out->used = 0;
}

int outfile_write(struct outfile *out, const void *bytes, size_t length) {
    if (length > OUTFILE_BUFFER_BYTES - out->used) {
        outfile_flush(out);
    }
    if (length > OUTFILE_BUFFER_BYTES) {
        write_out(out, bytes, length);
    } else if (length > 0) {
        memcpy(out->buffer + out->used, bytes, length);
        out->used += length;
    }
    return out->error;
}

int outfile_printf(struct outfile *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *room = outfile_room(out);
    int length = vsnprintf(room, OUTFILE_ROOM_BYTES, format, args);
    va_end(args);
    if (length < 0) {
        return outfile_fail(out, -EIO);
    }
    if ((unsigned)length < OUTFILE_ROOM_BYTES) {
        outfile_wrote(out, room + length);
        return out->error;
    }
    char *text = NULL;
    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0) {
        return outfile_fail(out, -ENOMEM);
    }
    int error = outfile_write(out, text, (size_t)length);
    free(text);
    return error;
}

int outfile_fail(struct outfile *out, int error) {
    if (!out->error) {
        out->error = error;
    }
    return out->error;
}

/* A capture into this file may have begun meanwhile: it keeps its name. */
static int take_name(const struct outfile *out) {
    if (file_is_claimed(out->path)) {
        return -EBUSY;
    }
    return sys_replace(out->part, out->path) == 0 ? 0 : -errno;
}

static bool given_up;

void outfile_give_up(void) { given_up = true; }

int outfile_close(struct outfile *out) {
    outfile_flush(out);
    if (given_up) {
        (void)outfile_fail(out, -EINTR);
    }
    /* Before the rename: a power cut must not leave PATH without its bytes. */
    if (out->path && !out->error && sys_sync(out->fd) != 0) {
        out->error = -errno;
    }
    if (out->fd != SYS_STDOUT && out->fd != NOWHERE && sys_close(out->fd) != 0 && !out->error) {
        out->error = -errno;
    }
    if (out->path && !out->error) {
        out->error = take_name(out);
    }
    if (out->path && out->error) {
        (void)sys_remove(out->part);
    }
    int error = out->error;
    release(out);
    return error;
}
