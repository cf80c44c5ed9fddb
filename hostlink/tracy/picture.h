/* SPDX-License-Identifier: MIT */
/* A picture that the board has sent, as a viewer shows it beside a frame. */
#ifndef HOSTLINK_TRACY_PICTURE_H
#define HOSTLINK_TRACY_PICTURE_H

#include <stddef.h>
#include <stdint.h>

/* The data must fit into one frame of the stream, together with its two items (13 and 10 bytes); in whole blocks of
 * BC1. Tracy's client asserts nearly the same (TracyProfiler.cpp, SendLongString(), TargetFrameSize). */
#define TRACY_PICTURE_BYTES_MAX 262120u
#define TRACY_PICTURE_SIDE_MAX 65532u /* 16 bits, and a multiple of 4 */

struct tracy_picture {
    uint16_t width, height; /* multiples of 4 */
    uint32_t back;          /* frames between its display and its recording */
    uint32_t bytes;
    uint8_t *data; /* width * height / 2 bytes */
};

/* From a file of netpbm's formats PAM (P7), PPM (P6) or PGM (P5), with samples of 8 bits. Width
 * and height are padded to multiples of 4 with copies of the last column and row; too large pictures are scaled down by
 * a whole factor, each pixel the mean of those that it covers. Transparency is left out. Returns 0, -EINVAL for another
 * format, or -ENOMEM. The caller frees "data". */
int tracy_picture_make(struct tracy_picture *picture, const uint8_t *file, size_t length);

#endif
