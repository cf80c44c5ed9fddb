/* Correct streams, made by the runtime itself on the fake port. */
#ifndef STREAM_H
#define STREAM_H

#include <stddef.h>
#include <stdint.h>

/* Records a mixture of all kinds of events, chosen by "seed", and drains it into out[0 .. size). Goes on
 * where the last call ended: one board, many captures. Returns the length. */
size_t stream_make(uint32_t seed, uint8_t *out, size_t size);

#endif
