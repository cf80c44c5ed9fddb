/* SPDX-License-Identifier: MIT */
#include "tracy/bc1.h"

#include <stdbool.h>
#include <string.h>

#define CHANNELS 3u
#define STEPS 4u

static uint16_t packed(const int32_t color[CHANNELS]) {
    const int32_t red = (color[0] * 31 + 127) / 255, green = (color[1] * 63 + 127) / 255,
                  blue = (color[2] * 31 + 127) / 255;
    return (uint16_t)(red << 11 | green << 5 | blue);
}

/* Unpacks like a viewer, which repeats the upper bits below. */
static void unpack(uint16_t color, int32_t out[CHANNELS]) {
    const int32_t red = color >> 11, green = color >> 5 & 63, blue = color & 31;
    out[0] = red << 3 | red >> 2;
    out[1] = green << 2 | green >> 4;
    out[2] = blue << 3 | blue >> 2;
}

/* The two ends of the line that the block's colours lie on: corners of the box around them. Of its diagonals that one
 * along which the other channels go as they do with the channel of the widest range. */
static void find_ends(const uint8_t pixels[BC1_PIXELS][3], int32_t low[CHANNELS],
                      int32_t high[CHANNELS]) {
    uint32_t widest = 0;
    for (uint32_t c = 0; c < CHANNELS; c++) {
        low[c] = high[c] = pixels[0][c];
        for (uint32_t i = 1; i < BC1_PIXELS; i++) {
            low[c] = pixels[i][c] < low[c] ? pixels[i][c] : low[c];
            high[c] = pixels[i][c] > high[c] ? pixels[i][c] : high[c];
        }
        widest = high[c] - low[c] > high[widest] - low[widest] ? c : widest;
    }
    const int32_t middle = low[widest] + high[widest];
    for (uint32_t c = 0; c < CHANNELS; c++) {
        const int32_t own_middle = low[c] + high[c];
        int32_t together = 0;
        for (uint32_t i = 0; i < BC1_PIXELS; i++) {
            together += (2 * pixels[i][widest] - middle) * (2 * pixels[i][c] - own_middle);
        }
        if (together < 0) {
            const int32_t lowest = low[c];
            low[c] = high[c];
            high[c] = lowest;
        }
    }
}

static int32_t distance(const uint8_t pixel[CHANNELS], const int32_t color[CHANNELS]) {
    int32_t sum = 0;
    for (uint32_t c = 0; c < CHANNELS; c++) {
        sum += (pixel[c] - color[c]) * (pixel[c] - color[c]);
    }
    return sum;
}

/* Two bits for each pixel, the first one in the lowest: the nearest of the steps from "last" to "first". */
static uint32_t choose(const uint8_t pixels[BC1_PIXELS][3], uint16_t first, uint16_t last) {
    int32_t steps[STEPS][CHANNELS];
    uint32_t numbers = 0;
    unpack(last, steps[0]);
    unpack(first, steps[STEPS - 1]);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        steps[1][c] = (2 * steps[0][c] + steps[STEPS - 1][c]) / 3;
        steps[2][c] = (steps[0][c] + 2 * steps[STEPS - 1][c]) / 3;
    }
    for (uint32_t i = 0; i < BC1_PIXELS; i++) {
        uint32_t best = 0;
        for (uint32_t step = 1; step < STEPS; step++) {
            best =
                distance(pixels[i], steps[step]) < distance(pixels[i], steps[best]) ? step : best;
        }
        numbers |= best << (2 * i);
    }
    return numbers;
}

static void store(uint8_t *at, uint32_t value, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* The first colour is the greater number: else the block would be of three colours and black. That one is used where
 * there is one colour only: it is the second, and number 0 of all pixels. */
void bc1_block(const uint8_t pixels[BC1_PIXELS][3], uint8_t out[BC1_BLOCK_BYTES]) {
    int32_t low[CHANNELS], high[CHANNELS];
    find_ends(pixels, low, high);
    const uint16_t one = packed(low), other = packed(high);
    const uint16_t first = one > other ? one : other, last = one > other ? other : one;
    const bool is_plain = first == last;
    store(out, is_plain ? 0 : first, 2);
    store(out + 2, last, 2);
    store(out + 4, is_plain ? 0 : choose(pixels, first, last), 4);
}
