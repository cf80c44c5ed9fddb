/* SPDX-License-Identifier: MIT */
/* Pictures as blocks of BC1, also called S3TC or DXT1: four by four pixels in eight bytes, without transparency. The
 * format: Khronos Data Format Specification 1.3, "S3TC Compressed Texture Image Formats", "BC1 with no alpha".
 *
 * On Tracy's wire the numbers of a block's pixels are not those of BC1: 0 to 3 are the steps from the second colour to
 * the first one, in their order. A viewer puts the numbers of BC1 in their place (TracyTextureCompression.cpp,
 * FixOrder(), the same in 0.9.1 to 0.14.0). */
#ifndef HOSTLINK_TRACY_BC1_H
#define HOSTLINK_TRACY_BC1_H

#include <stdint.h>

#define BC1_SIDE 4u
#define BC1_PIXELS (BC1_SIDE * BC1_SIDE)
#define BC1_BLOCK_BYTES 8u

/* One block as it is on Tracy's wire, of pixels of red, green and blue, row by row. */
void bc1_block(const uint8_t pixels[BC1_PIXELS][3], uint8_t out[BC1_BLOCK_BYTES]);

#endif
