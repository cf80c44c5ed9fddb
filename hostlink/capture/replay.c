/* SPDX-License-Identifier: MIT */
#include "capture/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/file_use.h"
#include "base/say.h"
#include "base/temporary.h"
#include "base/utf8.h"
#include "capture/capture.h"
#include "kymo/wire.h"
#include "platform/file.h"
#include "wire/fields.h"
#include "wire/unpack.h"

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

/* ---- several boards ---- */

/* Finds the next BOARD packet from *at on, and moves *at to the byte after it. False: not found. */
static bool next_piece(int fd, uint64_t *at, struct board_packet *piece, uint8_t *packet) {
    uint8_t bytes[BOARD_PACKET_BYTES];
    ssize_t count;
    while ((count = sys_read_at(fd, bytes, sizeof bytes, (int64_t)*at)) > 0) {
        const uint8_t *zero = memchr(bytes, 0, (size_t)count);
        const size_t length = zero ? (size_t)(zero - bytes) : (size_t)count;
        const size_t opened = zero && length > 0 ? packet_open(bytes, length, packet) : 0;
        *at += length + (zero ? 1 : 0);
        if (opened > 0 && packet_type(packet) == KYMO_PACKET_BOARD) {
            struct reader r = packet_fields(packet, opened);
            read_board(&r, piece);
            if (!r.bad && piece->bytes <= INT64_MAX - *at) {
                return true;
            }
        }
    }
    return false;
}

static int add_piece(struct replay *replay, const struct board_packet *piece, uint64_t bytes) {
    if (piece->number >= REPLAY_BOARDS_MAX) {
        say("%s: more than %u boards in it", replay->name, REPLAY_BOARDS_MAX);
        return -EPROTO;
    }
    if (!replay->boards && !(replay->boards = calloc(REPLAY_BOARDS_MAX, sizeof *replay->boards))) {
        return -ENOMEM;
    }
    struct replay_board *board = &replay->boards[piece->number];
    utf8_clean(board->name, sizeof board->name, piece->name, piece->name_bytes);
    board->bytes += bytes;
    replay->board_count =
        piece->number < replay->board_count ? replay->board_count : (uint32_t)piece->number + 1;
    return 0;
}

/* A capture of several boards begins with a BOARD packet. */
static int look_for_boards(struct replay *replay) {
    uint8_t packet[BOARD_PACKET_BYTES];
    struct board_packet piece;
    const uint64_t start = CAPTURE_MAGIC_BYTES, end = start + replay->bytes;
    uint8_t first[BOARD_PACKET_BYTES];
    const ssize_t count = sys_read_at(replay->fd, first, sizeof first, (int64_t)start);
    const uint8_t *zero = count > 0 ? memchr(first, 0, (size_t)count) : NULL;
    if (!replay->has_magic || !zero || packet_open(first, (size_t)(zero - first), packet) == 0 ||
        packet_type(packet) != KYMO_PACKET_BOARD) {
        return 0;
    }
    uint64_t at = start;
    int error = 0;
    while (!error && next_piece(replay->fd, &at, &piece, packet)) {
        const uint64_t left = at < end ? end - at : 0;
        const uint64_t bytes = piece.bytes < left ? piece.bytes : left;
        error = add_piece(replay, &piece, bytes);
        at += bytes;
    }
    return error;
}

void replay_view(struct replay *view, const struct replay *of, uint32_t board) {
    *view = (struct replay){.fd = of->fd,
                            .name = of->boards[board].name,
                            .has_magic = true,
                            .bytes = of->boards[board].bytes,
                            .is_view = true,
                            .board = board,
                            .at = CAPTURE_MAGIC_BYTES};
}

static ssize_t read_view(struct replay *view, uint8_t *bytes, size_t size) {
    uint8_t packet[BOARD_PACKET_BYTES];
    struct board_packet piece;
    while (view->left == 0) {
        if (!next_piece(view->fd, &view->at, &piece, packet)) {
            return 0;
        }
        view->left = piece.number == view->board ? piece.bytes : 0;
        view->at += piece.number == view->board ? 0 : piece.bytes;
    }
    const size_t wanted = view->left < size ? (size_t)view->left : size;
    const ssize_t count = sys_read_at(view->fd, bytes, wanted, (int64_t)view->at);
    if (count <= 0) {
        return count < 0 ? -errno : 0;
    }
    view->at += (uint64_t)count;
    view->left -= (uint64_t)count;
    view->position += (uint64_t)count;
    return count;
}

/* ---- any ---- */

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
    const int error = look_for_boards(replay);
    return error ? error : replay_rewind(replay);
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
    free(replay->boards);
    replay->boards = NULL;
    if (replay->is_view) {
        return;
    }
    if (replay->fd > SYS_STDERR) {
        sys_close(replay->fd);
    }
    replay->fd = -1;
}

int replay_rewind(struct replay *replay) {
    int64_t start = replay->has_magic ? (int64_t)CAPTURE_MAGIC_BYTES : 0;
    replay->position = 0;
    if (replay->is_view) {
        replay->at = CAPTURE_MAGIC_BYTES;
        replay->left = 0;
        return 0;
    }
    return sys_seek(replay->fd, start, SEEK_SET) < 0 ? -errno : 0;
}

ssize_t replay_read(struct replay *replay, uint8_t *bytes, size_t size) {
    if (replay->is_view) {
        return read_view(replay, bytes, size);
    }
    const ssize_t count = sys_read(replay->fd, bytes, size);
    if (count < 0) {
        return -errno;
    }
    replay->position += (uint64_t)count;
    return count;
}
