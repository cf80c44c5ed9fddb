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

/* Pictures as blocks of BC1, also called S3TC or DXT1: four by four pixels in eight bytes, without transparency. The
 * format: Khronos Data Format Specification 1.3, "S3TC Compressed Texture Image Formats", "BC1 with no alpha".
 *
 * On Tracy's wire the numbers of a block's pixels are not those of BC1: 0 to 3 are the steps from the second colour to
 * the first one, in their order. A viewer puts the numbers of BC1 in their place (TracyTextureCompression.cpp,
 * FixOrder(), the same in 0.9.1 to 0.14.0). */
#define BC1_SIDE 4u
#define BC1_PIXELS (BC1_SIDE * BC1_SIDE)
#define BC1_BLOCK_BYTES 8u

/* One block as it is on Tracy's wire, of pixels of red, green and blue, row by row. */
void bc1_block(const uint8_t pixels[BC1_PIXELS][3], uint8_t out[BC1_BLOCK_BYTES]);

#endif
