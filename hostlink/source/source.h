/* Where the bytes come from. Every source is a file descriptor once it is open; what differs is how it
 * is opened and what its end means. A new one is a file source_NAME.c and a line in source.c. */
#ifndef HOSTLINK_SOURCE_H
#define HOSTLINK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct source_options {
    uint32_t baud; /* bits per second, for serial devices */
    bool rtscts;   /* hardware flow control, for serial devices */
};

struct source {
    int fd;             /* to poll for reading */
    bool two_way;       /* the other side can be written to */
    bool live;          /* bytes arrive as the board sends them, so their time means something */
    bool hangup_is_end; /* the other side may close: an end like any other; else a cable is gone */
    bool serial;        /* has a baud rate that can be wrong */
    char unlink_path[256]; /* removed by close, "" = nothing */
    char why[320];         /* after a failed open: what is wrong and what to do, without the name */
};

/* One way to name a source. */
struct source_kind {
    const char *spec; /* "-", or with a ':' at its end a prefix such as "tcp:" */
    const char *form; /* for the help: "tcp:HOST:PORT" */
    const char *help;
    /* "rest" is what follows the prefix. 0, or -errno with why set. */
    int (*open)(struct source *source, const char *rest, const struct source_options *options);
};

/* Opens what "name" says: one of the kinds, or else the path of a device or file. 0, or -errno; then
 * source->why says more. */
int source_open(struct source *source, const char *name, const struct source_options *options);
void source_close(struct source *source);

/* The number of bytes read; 0 at the end; -EAGAIN if there is nothing now; else -errno: the source
 * failed. */
ssize_t source_read(struct source *source, uint8_t *bytes, size_t size);
/* The number of bytes taken, or -errno; never waits. */
ssize_t source_write(struct source *source, const uint8_t *bytes, size_t length);

/* The list of kinds for --help. */
void source_help(FILE *out);

/* For source_*.c: sets why and returns "error". */
int source_fail(struct source *source, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
