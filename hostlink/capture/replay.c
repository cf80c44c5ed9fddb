/* SPDX-License-Identifier: MIT */
#include "capture/replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/file_use.h"
#include "base/say.h"
#include "base/temporary.h"
#include "capture/capture.h"
#include "kymo/wire.h"
#include "platform/file.h"

/* Replaces fd by a file that can be rewound. */
static int make_rewindable(int *fd) {
    struct sys_status status;
    if (sys_status(*fd, &status) == 0 && status.type == SYS_REGULAR) {
        return 0;
    }
    int copy = temporary_open();
    if (copy < 0) {
        return copy;
    }
    int error = temporary_copy(*fd, copy);
    if (*fd != SYS_STDIN) {
        sys_close(*fd);
    }
    *fd = copy;
    return error;
}

static int look_at(struct replay *replay) {
    uint8_t head[CAPTURE_MAGIC_BYTES] = {0};
    struct sys_status status;
    if (sys_status(replay->fd, &status) != 0) {
        return -errno;
    }
    if (status.bytes == 0) {
        return -ENODATA;
    }
    const char *why = NULL;
    if (sys_seek(replay->fd, 0, SEEK_SET) == 0 && file_kind_look(replay->fd, &why) != 0) {
        say("%s: %s", replay->name, why ? why : "cannot be read");
        return -EPROTO;
    }
    ssize_t count = sys_read_at(replay->fd, head, sizeof head, 0);
    const uint8_t version = head[CAPTURE_VERSION_AT];
    head[CAPTURE_VERSION_AT] = KYMO_WIRE_VERSION;
    replay->has_magic =
        count == (ssize_t)sizeof head && memcmp(head, capture_magic, sizeof head) == 0;
    if (replay->has_magic && version != KYMO_WIRE_VERSION) {
        say("%s: capture of wire version %u, this hostlink reads version %u: use the hostlink of "
            "the "
            "same release as the runtime that recorded it",
            replay->name, version, KYMO_WIRE_VERSION);
        return -EPROTO;
    }
    replay->bytes = status.bytes - (replay->has_magic ? CAPTURE_MAGIC_BYTES : 0);
    return replay_rewind(replay);
}

static int open_path(const char *path) {
    struct sys_status status;
    if (strcmp(path, "-") == 0) {
        return SYS_STDIN;
    }
    if (sys_status_of(path, &status) == 0 && status.type == SYS_FOLDER) {
        return -EISDIR;
    }
    int fd = sys_open(path, SYS_READ);
    if (fd < 0) {
        return -errno;
    }
    file_share(fd);
    return fd;
}

/* "fd" may be -errno. */
static int begin(struct replay *replay, const char *name, int fd) {
    *replay = (struct replay){.name = name};
    int error = fd < 0 ? fd : make_rewindable(&fd);
    replay->fd = fd;
    if (!error) {
        error = look_at(replay);
    }
    if (error == -ENODATA) {
        say("%s: is empty, nothing was captured", replay->name);
    } else if (error && error != -EPROTO) {
        say("%s: cannot be read: %s", replay->name, strerror(-error));
    } else if (!error && !replay->has_magic) {
        say("%s: not a capture file of hostlink, read as the raw bytes of a board", replay->name);
    }
    if (error) {
        replay_close(replay);
    }
    return error;
}

int replay_open(struct replay *replay, const char *path) {
    return begin(replay, strcmp(path, "-") == 0 ? "standard input" : path, open_path(path));
}

int replay_adopt(struct replay *replay, const char *name, int fd) {
    return begin(replay, name, fd < 0 ? -errno : fd);
}

int replay_make(struct replay *replay, const char *name, int (*make)(void *context, int fd),
                void *context) {
    *replay = (struct replay){.name = name, .fd = temporary_open()};
    if (replay->fd < 0) {
        say("no temporary file can be made: %s; set TMPDIR to a folder with room",
            strerror(-replay->fd));
        return replay->fd;
    }
    int error = make(context, replay->fd);
    error = error ? error : look_at(replay);
    if (error) {
        replay_close(replay);
    }
    return error;
}

void replay_close(struct replay *replay) {
    if (replay->fd > SYS_STDERR) {
        sys_close(replay->fd);
    }
    replay->fd = -1;
}

int replay_rewind(struct replay *replay) {
    int64_t start = replay->has_magic ? (int64_t)CAPTURE_MAGIC_BYTES : 0;
    replay->position = 0;
    return sys_seek(replay->fd, start, SEEK_SET) < 0 ? -errno : 0;
}

ssize_t replay_read(struct replay *replay, uint8_t *bytes, size_t size) {
    const ssize_t count = sys_read(replay->fd, bytes, size);
    if (count < 0) {
        return -errno;
    }
    replay->position += (uint64_t)count;
    return count;
}
