/* SPDX-License-Identifier: MIT */
/* A 64-point Fourier transform in integers. */
#ifndef FFT_H
#define FFT_H

#include <stdint.h>

#define FFT_POINTS 64u

/* sin(2 pi phase / 64) * 32767, for any phase. */
int32_t fft_sine(uint32_t phase);

/* In place; the result is the transform divided by FFT_POINTS, each of its six stages rounding down.
 * Inputs from -32768 to 32767 cannot overflow. */
void fft_forward(int32_t real[FFT_POINTS], int32_t imaginary[FFT_POINTS]);

/* Squared magnitude of one result. */
static inline uint32_t fft_power(int32_t real, int32_t imaginary) {
    return (uint32_t)(real * real) + (uint32_t)(imaginary * imaginary);
}

#endif
