/* SPDX-License-Identifier: MIT */
/* Reads gzip (RFC 1952 and 1951). */
#ifndef HOSTLINK_INFLATE_H
#define HOSTLINK_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/* Most bytes that a file may unpack to: beyond it the file is refused. */
#define INFLATE_BYTES_MAX ((size_t)1 << 30)

struct inflated {
    uint8_t *bytes; /* free() them */
    size_t length;
    const char *why; /* the error, NULL: success */
    size_t at;       /* its byte in the input */
};

/* The first member of the file, which begins with 0x1f 0x8b. */
struct inflated inflate_gzip(const uint8_t *bytes, size_t length);

#endif
