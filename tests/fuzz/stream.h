/* SPDX-License-Identifier: MIT */
/* Correct streams, made by the runtime itself on the fake port. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records a mixture of all kinds of events, chosen by "seed", and drains it into out[0 .. size). Goes on
 * where the last call ended: one board, many captures. Returns the length. */
size_t stream_make(uint32_t seed, uint8_t *out, size_t size);
/* True: of this seed the firmware makes no mistake, and no ring is full. */
bool stream_is_right(uint32_t seed);

#endif
