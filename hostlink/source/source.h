/* SPDX-License-Identifier: MIT */
/* The source of the bytes. Every source is a file descriptor once it is open; sources differ in how they are opened
 * and in the meaning of their end. A new one is a file source_NAME.c and a line in sources.c. */
#ifndef HOSTLINK_SOURCE_H
#define HOSTLINK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "source/port.h"

enum source_line {
    SOURCE_LINE_KEEP, /* as opening the device leaves it */
    SOURCE_LINE_ON,
    SOURCE_LINE_OFF
};

/* A connection that is being made while its caller does other things. All zero: no connection. */
struct source_attempt {
    int socket;     /* + 1; 0: none */
    unsigned turns; /* so often it was looked at */
    unsigned skip;  /* addresses of the host that did not answer before */
};

struct source_options {
    uint32_t baud;             /* bits per second, for serial devices */
    bool rtscts;               /* hardware flow control, for serial devices */
    enum source_line dtr, rts; /* modem lines of serial devices */
    /* NULL: waits for a connection. Else the open fails with -EINPROGRESS until there is one: call it again. */
    struct source_attempt *attempt;
};

#define SOURCE_CONNECT_MS 10000u

/* Is it worth waiting for a source that is gone? */
enum source_return {
    SOURCE_STAYS_AWAY, /* it cannot come back: a pipe */
    SOURCE_MAY_RETURN, /* it can: another connection, or a device of the same name */
    SOURCE_RETURNS     /* it was unplugged, and is known when it is plugged in again */
};

struct source {
    int fd;             /* to poll for reading */
    bool two_way;       /* the other side can be written to */
    bool live;          /* bytes arrive as the board sends them, so their time means something */
    bool hangup_is_end; /* the other side may close: an end like any other; else a cable is gone */
    bool serial;        /* has a baud rate that can be wrong */
    enum source_return returns;
    const char *name; /* as it was opened; must stay */
    struct source_options options;
    struct source_attempt attempt; /* of source_reopen() */
    struct port port;              /* of a serial device; its path is where the device is now */
    char unlink_path[256];         /* removed by close, "" = nothing */
    char why[320]; /* after a failed open: the error and the fix, without the name */
};

/* One way to name a source. */
struct source_kind {
    const char *spec; /* "-", or with a ':' at its end a prefix such as "tcp:" */
    const char *form; /* for the help: "tcp:HOST:PORT" */
    const char *help;
    /* "rest" is the text after the prefix. 0, or -errno with why set. */
    int (*open)(struct source *source, const char *rest, const struct source_options *options);
};

/* Opens "name": one of the kinds, or else the path of a device or file. 0, or -errno; then source->why is the
 * reason. */
int source_open(struct source *source, const char *name, const struct source_options *options);
void source_close(struct source *source);
/* After source_close(): the same device or server again, a USB device under whatever name it has now. 0, or
 * -errno with why set and nothing else changed: try again later. Waits for nothing but the look-up of a
 * host's name; -EINPROGRESS: a connection is being made. */
int source_reopen(struct source *source);

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
