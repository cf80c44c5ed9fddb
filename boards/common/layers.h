/* SPDX-License-Identifier: MIT */
/* The layers of a small int8 neural network. Tensors are square maps of "channels" values a pixel,
 * pixel by pixel, row by row. All arithmetic is exact in 32-bit integers. */
#ifndef LAYERS_H
#define LAYERS_H

#include <stddef.h>
#include <stdint.h>

#include "board_config.h"

/* Largest row that a layer with weights computes: pixels times channels, a word of RAM each. A board may
 * choose less in board_config.h; net.c checks that it is enough. */
#ifndef LAYERS_ROW_MAX
#define LAYERS_ROW_MAX 768
#endif

struct tensor {
    int8_t *values;
    uint16_t side;
    uint16_t channels;
};

/* The weights of a trained layer. The result is relu((sum + bias) * scale >> shift), rounded and
 * limited to int8. |sum + bias| * scale must stay below 2^31. */
struct weights {
    const int8_t
        *taps; /* output channel by output channel; within one: row, column, input channel */
    const int16_t *bias; /* one an output channel */
    uint8_t scale;
    uint8_t shift;
};

static inline size_t tensor_size(const struct tensor *t) {
    return (size_t)t->side * t->side * t->channels;
}

/* 3x3 with a border of zeros. The stride is the ratio of the sides, 1 or 2. */
void layer_conv3x3(const struct tensor *in, const struct tensor *out, const struct weights *w);
/* The same for each channel by itself, at stride 1; equal shapes. */
void layer_depthwise3x3(const struct tensor *in, const struct tensor *out, const struct weights *w);
/* Mixes the channels of each pixel; equal sides. */
void layer_pointwise(const struct tensor *in, const struct tensor *out, const struct weights *w);
/* The maximum of each 2x2 square; equal channels, half the side. */
void layer_maxpool2x2(const struct tensor *in, const struct tensor *out);
/* Adds "in" to "sum", limited to int8; equal shapes. */
void layer_add(const struct tensor *in, const struct tensor *sum);
/* All inputs to each of out->channels outputs, without relu; out->side is 1. */
void layer_dense(const struct tensor *in, const struct tensor *out, const struct weights *w);

#endif
