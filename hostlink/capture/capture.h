/* SPDX-License-Identifier: MIT */
/* The capture file (.kymo): eight magic bytes, then the bytes as they came from the board, with packets in between
 * that hold the host's clocks. Each piece is written at once, so that the file is whole up to the last byte that
 * came, also when hostlink is killed. */
#ifndef HOSTLINK_CAPTURE_H
#define HOSTLINK_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "kymo", the version of the wire, CR, LF, NUL. CR LF shows a file that was copied as text. The NUL also ends the
 * chunk for a reader that takes the magic for a part of the stream. */
#define CAPTURE_MAGIC_BYTES 8u
#define CAPTURE_VERSION_AT 4u
extern const uint8_t capture_magic[CAPTURE_MAGIC_BYTES];

struct capture {
    int fd;
    const char *path; /* "-" is standard output */
    int error;        /* the first, 0 or -errno; nothing is written to the file after it */
    bool regular;     /* can be read back */
    uint64_t bytes;   /* written */
    bool wants_spare; /* after an error a temporary file is to hold the whole capture */
    int spare_fd;     /* that file; -1: there was no error, or it cannot be written either */
};

/* Makes the file and writes the magic. 0, or -errno with nothing open. Overwrites a capture of this name, with a
 * message; -EEXIST: there is another file, or any with "exclusive". -EBUSY: another hostlink writes or reads it. */
int capture_open(struct capture *capture, const char *path, bool exclusive);
/* Reports on standard error why it could not be opened. */
void capture_say_unopened(const char *path, int error);
/* From now on, bytes after an error go to a temporary file, after a copy of those written before: for outputs that
 * are made of the capture at its end. Only for a capture that can be read back. */
void capture_want_spare(struct capture *capture);
/* 0, or -errno: the first error of all. */
int capture_write(struct capture *capture, const uint8_t *bytes, size_t length);
/* Reports on standard error the effect of the error on the capture. */
void capture_say_error(const struct capture *capture);
/* Writes to the disk. 0, or -errno: the first error of all. */
int capture_sync(struct capture *capture);
/* False: the file of this name was removed or replaced since. */
bool capture_has_name(const struct capture *capture);
/* Writes to the disk and closes it, except the temporary file. 0, or -errno: the first error of all. */
int capture_close(struct capture *capture);

/* Writes the host's clocks into the stream: after a zero byte, so that no packet of the board is cut in two, at the
 * start and then when bytes come, but not more often than every 20 ms. */
#define STAMP_PERIOD_NS (UINT64_C(20) * 1000000)
#define STAMP_NOT_HERE SIZE_MAX

/* All zero is the start of a stream. */
struct stamp {
    bool given;       /* at least one */
    bool in_packet;   /* the last byte was not zero */
    uint64_t last_ns; /* when the last one was due */
};

/* Call it once for each piece of the stream, which came at "now_ns". The offset before which a stamp
 * belongs, at most "length", or STAMP_NOT_HERE. */
size_t stamp_place(struct stamp *stamp, const uint8_t *bytes, size_t length, uint64_t now_ns);

#endif
