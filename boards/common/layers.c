/* SPDX-License-Identifier: MIT */
#include "layers.h"

#define DEMO_CORE 0
#include "count.h"

/* Sums of one row, before they are scaled back to int8. */
static int32_t row_sums[LAYERS_ROW_MAX];

static int8_t limit(int32_t value, int32_t low) {
    return (int8_t)(value < low ? low : value > 127 ? 127 : value);
}

/* Right shifts of negative numbers are arithmetic in gcc and clang. */
static int32_t scaled(int32_t sum, const struct weights *w) {
    return (sum * w->scale + (1 << (w->shift - 1))) >> w->shift;
}

static void requantise_row(const struct tensor *out, unsigned y, const struct weights *w) {
    DEMO_ZONE("requantise");
    const size_t count = (size_t)out->side * out->channels;
    int8_t *row = out->values + y * count;
    for (size_t i = 0u; i < count; i++) {
        row[i] = limit(scaled(row_sums[i], w), 0);
    }
}

/* The part of a 3x3 window around (x, y) that is inside the map. */
struct window {
    unsigned top, bottom, left, right;
};

static struct window window_at(unsigned x, unsigned y, unsigned side) {
    const struct window window = {y > 0u ? y - 1u : 0u, y + 2u < side ? y + 2u : side,
                                  x > 0u ? x - 1u : 0u, x + 2u < side ? x + 2u : side};
    return window;
}

/* One output: "taps" is the kernel of one output channel, laid with its middle on (x, y). */
static int32_t conv_sum(const struct tensor *in, const int8_t *taps, unsigned x, unsigned y) {
    const struct window window = window_at(x, y, in->side);
    int32_t sum = 0;
    for (unsigned row = window.top; row < window.bottom; row++) {
        for (unsigned column = window.left; column < window.right; column++) {
            const int8_t *pixel = in->values + (row * in->side + column) * in->channels;
            const int8_t *tap = taps + ((row + 1u - y) * 3u + column + 1u - x) * in->channels;
            for (unsigned channel = 0u; channel < in->channels; channel++) {
                sum += pixel[channel] * tap[channel];
            }
        }
    }
    return sum;
}

void layer_conv3x3(const struct tensor *in, const struct tensor *out, const struct weights *w) {
    const unsigned stride = in->side / out->side;
    const unsigned kernel = 9u * in->channels;
    for (unsigned y = 0u; y < out->side; y++) {
        DEMO_ZONE("conv.row");
        int32_t *sum = row_sums;
        for (unsigned x = 0u; x < out->side; x++) {
            for (unsigned o = 0u; o < out->channels; o++) {
                *sum++ = w->bias[o] + conv_sum(in, w->taps + o * kernel, x * stride, y * stride);
            }
        }
        requantise_row(out, y, w);
    }
}

static int32_t depthwise_sum(const struct tensor *in, const int8_t *taps, unsigned x, unsigned y,
                             unsigned channel) {
    const struct window window = window_at(x, y, in->side);
    int32_t sum = 0;
    for (unsigned row = window.top; row < window.bottom; row++) {
        for (unsigned column = window.left; column < window.right; column++) {
            sum += in->values[(row * in->side + column) * in->channels + channel] *
                   taps[(row + 1u - y) * 3u + column + 1u - x];
        }
    }
    return sum;
}

void layer_depthwise3x3(const struct tensor *in, const struct tensor *out,
                        const struct weights *w) {
    for (unsigned y = 0u; y < out->side; y++) {
        DEMO_ZONE("depthwise.row");
        int32_t *sum = row_sums;
        for (unsigned x = 0u; x < out->side; x++) {
            for (unsigned c = 0u; c < out->channels; c++) {
                *sum++ = w->bias[c] + depthwise_sum(in, w->taps + 9u * c, x, y, c);
            }
        }
        requantise_row(out, y, w);
    }
}

static int32_t dot(const int8_t *a, const int8_t *b, size_t count) {
    int32_t sum = 0;
    for (size_t i = 0u; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

void layer_pointwise(const struct tensor *in, const struct tensor *out, const struct weights *w) {
    const int8_t *pixel = in->values;
    for (unsigned y = 0u; y < out->side; y++) {
        DEMO_ZONE("pointwise.row");
        int32_t *sum = row_sums;
        for (unsigned x = 0u; x < out->side; x++, pixel += in->channels) {
            for (unsigned o = 0u; o < out->channels; o++) {
                *sum++ = w->bias[o] + dot(pixel, w->taps + o * in->channels, in->channels);
            }
        }
        requantise_row(out, y, w);
    }
}

static int8_t larger(int8_t a, int8_t b) { return a > b ? a : b; }

void layer_maxpool2x2(const struct tensor *in, const struct tensor *out) {
    const unsigned channels = in->channels;
    const unsigned line = in->side * channels;
    int8_t *result = out->values;
    for (unsigned y = 0u; y < out->side; y++) {
        for (unsigned x = 0u; x < out->side; x++) {
            const int8_t *corner = in->values + 2u * y * line + 2u * x * channels;
            for (unsigned c = 0u; c < channels; c++, corner++) {
                *result++ = larger(larger(corner[0], corner[channels]),
                                   larger(corner[line], corner[line + channels]));
            }
        }
    }
}

void layer_add(const struct tensor *in, const struct tensor *sum) {
    const size_t count = tensor_size(sum);
    for (size_t i = 0u; i < count; i++) {
        sum->values[i] = limit(sum->values[i] + in->values[i], -128);
    }
}

void layer_dense(const struct tensor *in, const struct tensor *out, const struct weights *w) {
    const size_t count = tensor_size(in);
    for (unsigned o = 0u; o < out->channels; o++) {
        const int32_t sum = w->bias[o] + dot(in->values, w->taps + o * count, count);
        out->values[o] = limit(scaled(sum, w), -128);
    }
}
