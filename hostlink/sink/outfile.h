/* SPDX-License-Identifier: MIT */
/* Buffered output to a file that is whole or is not there: the bytes go to a file beside it with a name of its own,
 * "PATH.PROCESS-NUMBER.part", which takes the name PATH when all of it is written and goes when it cannot be. Two
 * programs that write the same PATH do not mix: the last to end has its name. Devices, pipes and sockets are written
 * directly, and so is "-", standard output. */
#ifndef HOSTLINK_OUTFILE_H
#define HOSTLINK_OUTFILE_H

#include <stddef.h>

#define OUTFILE_BUFFER_BYTES 65536u

/* Private to outfile.c, except for the inline calls. */
struct outfile {
    int fd;
    int error;  /* first error, 0 or -errno */
    char *path; /* the name to take at the end, NULL when written in place */
    char *part; /* the name until then */
    size_t used;
    char buffer[OUTFILE_BUFFER_BYTES];
};

/* 0 or -errno; -EBUSY: another hostlink captures into this file. */
int outfile_open(struct outfile **out, const char *path);
/* An output that discards all bytes. */
int outfile_open_nowhere(struct outfile **out);
/* Errors are kept and returned by every later call and by close. */
int outfile_write(struct outfile *out, const void *bytes, size_t length);
int outfile_printf(struct outfile *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* For inner loops: room for at most OUTFILE_ROOM_BYTES, to be filled and then given to outfile_wrote() as far as it
 * was used. Never NULL: after an error the bytes are discarded. */
#define OUTFILE_ROOM_BYTES 1024u
static inline char *outfile_room(struct outfile *out);
static inline void outfile_wrote(struct outfile *out, const char *end);
/* Marks the output incomplete for a reason outside the file: keeps "error" (-errno) like that of
 * a write, unless an earlier one is kept. Returns the error kept. */
int outfile_fail(struct outfile *out, int error);
/* Empties the buffer into the file. */
void outfile_flush(struct outfile *out);
/* From here on no file takes its name: each is removed when it is closed, with -EINTR. */
void outfile_give_up(void);
/* Flushes, renames, frees. On an error it removes the part file and leaves PATH as it was. */
int outfile_close(struct outfile *out);

static inline char *outfile_room(struct outfile *out) {
    if (OUTFILE_BUFFER_BYTES - out->used < OUTFILE_ROOM_BYTES) {
        outfile_flush(out);
    }
    return out->buffer + out->used;
}

static inline void outfile_wrote(struct outfile *out, const char *end) {
    out->used = (size_t)(end - out->buffer);
}

#endif
