/* SPDX-License-Identifier: MIT */
#include "fft.h"

/* A quarter of a turn: round(32767 * sin(2 pi k / 64)). */
static const int16_t quarter[FFT_POINTS / 4u + 1u] = {
    0,     3212,  6393,  9512,  12539, 15446, 18204, 20787, 23170,
    25329, 27245, 28898, 30273, 31356, 32137, 32609, 32767,
};

int32_t fft_sine(uint32_t phase) {
    const uint32_t within = phase % (FFT_POINTS / 2u);
    const int32_t size = quarter[within <= 16u ? within : 32u - within];
    return phase % FFT_POINTS < FFT_POINTS / 2u ? size : -size;
}

static int32_t fft_cosine(uint32_t phase) { return fft_sine(phase + FFT_POINTS / 4u); }

static uint32_t bits_reversed(uint32_t index) {
    uint32_t reversed = 0u;
    for (uint32_t bit = 1u; bit < FFT_POINTS; bit <<= 1) {
        reversed = reversed << 1 | ((index & bit) != 0u ? 1u : 0u);
    }
    return reversed;
}

static void swap(int32_t *values, uint32_t i, uint32_t j) {
    const int32_t kept = values[i];
    values[i] = values[j];
    values[j] = kept;
}

/* Halves the sums, so that the values keep their range. Right shifts of negative numbers are arithmetic
 * in gcc and clang. */
static void butterfly(int32_t *re, int32_t *im, uint32_t a, uint32_t b, uint32_t phase) {
    const int32_t c = fft_cosine(phase), s = fft_sine(phase);
    const int32_t turned_re = (re[b] * c + im[b] * s + (1 << 14)) >> 15;
    const int32_t turned_im = (im[b] * c - re[b] * s + (1 << 14)) >> 15;
    re[b] = (re[a] - turned_re) >> 1;
    im[b] = (im[a] - turned_im) >> 1;
    re[a] = (re[a] + turned_re) >> 1;
    im[a] = (im[a] + turned_im) >> 1;
}

/* Decimation in time, radix 2 (J. W. Cooley, J. W. Tukey, Mathematics of Computation 19, 1965). */
void fft_forward(int32_t real[FFT_POINTS], int32_t imaginary[FFT_POINTS]) {
    for (uint32_t i = 0u; i < FFT_POINTS; i++) {
        const uint32_t j = bits_reversed(i);
        if (i < j) {
            swap(real, i, j);
            swap(imaginary, i, j);
        }
    }
    for (uint32_t half = 1u; half < FFT_POINTS; half <<= 1) {
        for (uint32_t start = 0u; start < FFT_POINTS; start += 2u * half) {
            for (uint32_t k = 0u; k < half; k++) {
                butterfly(real, imaginary, start + k, start + k + half,
                          k * (FFT_POINTS / 2u / half));
            }
        }
    }
}
