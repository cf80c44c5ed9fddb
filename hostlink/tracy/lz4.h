/* SPDX-License-Identifier: MIT */
/* Writes LZ4 blocks (lz4_Block_format.md of the LZ4 project), as far as Tracy's frames need
 * them: each block stands alone, without a frame header. */
#ifndef HOSTLINK_TRACY_LZ4_H
#define HOSTLINK_TRACY_LZ4_H

#include <stddef.h>
#include <stdint.h>

#define TRACY_LZ4_TABLE_BITS 13

/* All zero is ready for use. */
struct tracy_lz4 {
    uint32_t table[1u << TRACY_LZ4_TABLE_BITS]; /* hash of four bytes -> their place + base */
    uint32_t base;                              /* places of earlier blocks are below it */
};

/* Most bytes that a block of "length" can take: that of literals alone. */
#define TRACY_LZ4_BOUND(length) ((length) + (length) / 255 + 16)

/* Compresses "length" bytes, at most 2^30, into "out", which holds TRACY_LZ4_BOUND(length).
 * Returns the length of the block. */
size_t tracy_lz4_compress(struct tracy_lz4 *lz4, const uint8_t *in, size_t length, uint8_t *out);

#endif
