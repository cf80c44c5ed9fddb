/* SPDX-License-Identifier: MIT */
/* Reads a capture file, or a raw dump of the same bytes, as often as wanted. Input that cannot be read twice
 * (standard input, a pipe) is first copied to a temporary file. */
#ifndef HOSTLINK_REPLAY_H
#define HOSTLINK_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/command.h"

#define REPLAY_BOARDS_MAX 16u

/* A board of a capture of several. */
struct replay_board {
    char name[BOARD_NAME_BYTES + 1];
    uint64_t bytes; /* of its stream */
};

struct replay {
    int fd;
    const char *name;  /* for messages */
    bool has_magic;    /* a capture file; false: a raw dump */
    uint64_t bytes;    /* of the stream, without the magic */
    uint64_t position; /* of the next byte to read */
    /* NULL and 0: the capture is of one board. */
    struct replay_board *boards;
    uint32_t board_count;
    /* One board's stream in such a capture. */
    bool is_view;
    uint32_t board;
    uint64_t at, left; /* in the file; of the piece there */
};

/* "path" or "-". 0, or -errno, which was reported; then nothing is open. -ENODATA: it is empty. */
int replay_open(struct replay *replay, const char *path);
/* The same of a stream that is made now: "make" writes it to the descriptor and returns 0 or -errno. It is
 * kept in a temporary file. 0 or -errno, with a message unless "make" returned it. */
int replay_make(struct replay *replay, const char *name, int (*make)(void *context, int fd),
                void *context);
/* The same of an open file, which replay_close() then closes; -1: as errno says. */
int replay_adopt(struct replay *replay, const char *name, int fd);
void replay_close(struct replay *replay);
/* The stream of one board, in a capture of several, which must stay open. Closing it changes nothing. */
void replay_view(struct replay *view, const struct replay *of, uint32_t board);
/* Back to the first byte. 0 or -errno. */
int replay_rewind(struct replay *replay);
/* Bytes read, 0 at the end, or -errno. */
ssize_t replay_read(struct replay *replay, uint8_t *bytes, size_t size);

#endif
