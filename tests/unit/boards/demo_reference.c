/* SPDX-License-Identifier: MIT */
/* The demo's arithmetic in a second formulation, from the descriptions in boards/common/{net,layers,
 * sensor,fft}.h and without their code: maps are planes of double (all numbers are integers far below
 * 2^53, so every sum is exact), borders are looked up as zeros, rounding is floor(x + 1/2), and the
 * transform is a recursion with sines from the C library. */
#include "demo_reference.h"

#include <math.h>
#include <stdlib.h>

#define TURN 6.283185307179586476925

/* ---- shared definitions: the generator and the checksum ---- */

static uint32_t generator;

static double next_symmetric(int limit) {
    uint64_t x = generator;
    x = (x ^ (x * 8192u)) & 0xffffffffu;
    x = x ^ (x / 131072u);
    x = (x ^ (x * 32u)) & 0xffffffffu;
    generator = (uint32_t)x;
    return (double)(x / 65536u % (uint64_t)(2 * limit + 1)) - limit;
}

static uint32_t running;

static void add_byte(int value) {
    const uint64_t mixed = running ^ (uint32_t)(value & 255);
    running = (uint32_t)(mixed * 16777619u % 4294967296u);
}

static void add_word(double value) {
    const int64_t word = (int64_t)value + (value < 0 ? INT64_C(4294967296) : 0);
    for (int64_t divisor = 1, i = 0; i < 4; i++, divisor *= 256) {
        add_byte((int)(word / divisor % 256));
    }
}

/* ---- the network ---- */

struct map {
    int side, channels;
    double *at; /* plane after plane */
};

static struct map new_map(int side, int channels) {
    struct map m = {side, channels, calloc((size_t)(side * side * channels), sizeof(double))};
    if (m.at == NULL) {
        abort();
    }
    return m;
}

static double *cell(struct map m, int c, int y, int x) {
    return &m.at[(c * m.side + y) * m.side + x];
}

static double look(struct map m, int c, int y, int x) {
    const int inside = y >= 0 && x >= 0 && y < m.side && x < m.side;
    return inside ? *cell(m, c, y, x) : 0.0;
}

static void add_map(struct map m) {
    for (int y = 0; y < m.side; y++) {
        for (int x = 0; x < m.side; x++) {
            for (int c = 0; c < m.channels; c++) {
                add_byte((int)*cell(m, c, y, x));
            }
        }
    }
}

static double limited(double value, double low) { return fmin(127.0, fmax(low, value)); }

struct learned {
    double *taps, *bias;
    int outputs, fan_in;
    double scale;
};

static struct learned learn(int outputs, int fan_in, double scale) {
    struct learned l = {calloc((size_t)(outputs * fan_in), sizeof(double)),
                        calloc((size_t)outputs, sizeof(double)), outputs, fan_in, scale};
    if (l.taps == NULL || l.bias == NULL) {
        abort();
    }
    for (int i = 0; i < outputs * fan_in; i++) {
        l.taps[i] = next_symmetric(15);
    }
    for (int i = 0; i < outputs; i++) {
        l.bias[i] = next_symmetric(300);
    }
    return l;
}

static void forget(struct learned l) {
    free(l.taps);
    free(l.bias);
}

/* A window of size x size over "wide" channels from "first", for output o at (y, x) of the input. */
static double window(struct map in, struct learned l, int o, int first, int wide, int size, int y,
                     int x) {
    double sum = l.bias[o];
    for (int c = 0; c < wide; c++) {
        for (int dy = 0; dy < size; dy++) {
            for (int dx = 0; dx < size; dx++) {
                sum += l.taps[o * l.fan_in + (dy * size + dx) * wide + c] *
                       look(in, first + c, y + dy - size / 2, x + dx - size / 2);
            }
        }
    }
    return floor(sum * l.scale + 0.5);
}

enum shape { FULL_3X3, DEPTHWISE_3X3, POINTWISE };

static struct map convolve(struct map in, struct learned l, int stride, enum shape shape) {
    const struct map out = new_map(in.side / stride, l.outputs);
    for (int o = 0; o < l.outputs; o++) {
        for (int y = 0; y < out.side; y++) {
            for (int x = 0; x < out.side; x++) {
                const int each = shape == DEPTHWISE_3X3;
                *cell(out, o, y, x) =
                    limited(window(in, l, o, each ? o : 0, each ? 1 : in.channels,
                                   shape == POINTWISE ? 1 : 3, y * stride, x * stride),
                            0.0);
            }
        }
    }
    add_map(out);
    return out;
}

static struct map pool(struct map in) {
    const struct map out = new_map(in.side / 2, in.channels);
    for (int c = 0; c < in.channels; c++) {
        for (int i = 0; i < in.side * in.side; i++) {
            const int y = i / in.side, x = i % in.side;
            double *best = cell(out, c, y / 2, x / 2);
            *best = y % 2 == 0 && x % 2 == 0 ? *cell(in, c, y, x) : fmax(*best, *cell(in, c, y, x));
        }
    }
    add_map(out);
    return out;
}

static void add_skipped(struct map sum, struct map skipped) {
    for (int i = 0; i < sum.side * sum.side * sum.channels; i++) {
        sum.at[i] = limited(sum.at[i] + skipped.at[i], -128.0);
    }
    add_map(sum);
}

static void dense(struct map in, struct learned l) {
    for (int o = 0; o < l.outputs; o++) {
        double sum = l.bias[o];
        for (int i = 0; i < l.fan_in; i++) {
            const int c = i % in.channels, pixel = i / in.channels;
            sum += l.taps[o * l.fan_in + i] * in.at[c * in.side * in.side + pixel];
        }
        add_byte((int)limited(floor(sum * l.scale + 0.5), -128.0));
    }
}

static struct map camera(int side, unsigned scene) {
    const struct map m = new_map(side, 1);
    generator = 0x6b796d6fu + 1u + scene;
    for (int y = 0; y < side; y++) {
        const double middle = side / 2 + trunc((double)scene * (side - y) / 16.0) - side / 8;
        for (int x = 0; x < side; x++) {
            const double near = fabs(x - middle) < 4 + y / 4 ? 60.0 : 0.0;
            *cell(m, 0, y, x) = floor(y * 64.0 / side) - 32.0 + near + next_symmetric(20);
        }
    }
    return m;
}

uint32_t reference_scene_sum(int side, int channels, unsigned scene) {
    const int n = channels;
    generator = 0x6b796d6fu;
    const struct learned l[] = {
        learn(n, 9, 25.0 / 512),
        learn(n, 9, 13.0 / 256),
        learn(2 * n, n, 13.0 / 256),
        learn(2 * n, 9, 13.0 / 256),
        learn(4 * n, 2 * n, 9.0 / 256),
        learn(4 * n, 9, 13.0 / 256),
        learn(4 * n, 4 * n, 5.0 / 256),
        learn(2, side / 16 * (side / 16) * 4 * n, side == 96 ? 7.0 / 4096 : 7.0 / 256),
    };
    running = 0x811c9dc5u;
    struct map m[11];
    m[0] = camera(side, scene);
    m[1] = convolve(m[0], l[0], 2, FULL_3X3);
    m[2] = pool(m[1]);
    m[3] = convolve(m[2], l[1], 1, DEPTHWISE_3X3);
    m[4] = convolve(m[3], l[2], 1, POINTWISE);
    m[5] = pool(m[4]);
    m[6] = convolve(m[5], l[3], 1, DEPTHWISE_3X3);
    m[7] = convolve(m[6], l[4], 1, POINTWISE);
    m[8] = convolve(m[7], l[5], 1, DEPTHWISE_3X3);
    m[9] = convolve(m[8], l[6], 1, POINTWISE);
    add_skipped(m[9], m[7]);
    m[10] = pool(m[9]);
    dense(m[10], l[7]);
    for (int i = 0; i < 11; i++) {
        free(m[i].at);
    }
    for (int i = 0; i < 8; i++) {
        forget(l[i]);
    }
    return running;
}

/* ---- the sensor loop ---- */

static double sine(int phase) { return round(32767.0 * sin(TURN * phase / 64.0)); }

/* re and im hold n values, "apart" from each other; "unit" is one step of the twiddles. */
static void transform(const double *re, int n, int apart, double *out_re, double *out_im) {
    if (n == 1) {
        out_re[0] = re[0];
        out_im[0] = 0.0;
        return;
    }
    double half_re[64], half_im[64];
    transform(re, n / 2, 2 * apart, half_re, half_im);
    transform(re + apart, n / 2, 2 * apart, half_re + n / 2, half_im + n / 2);
    for (int k = 0; k < n / 2; k++) {
        const double c = sine(k * 64 / n + 16), s = sine(k * 64 / n);
        const double odd_re = half_re[n / 2 + k], odd_im = half_im[n / 2 + k];
        const double t_re = floor((odd_re * c + odd_im * s) / 32768.0 + 0.5);
        const double t_im = floor((odd_im * c - odd_re * s) / 32768.0 + 0.5);
        out_re[k] = floor((half_re[k] + t_re) / 2.0);
        out_im[k] = floor((half_im[k] + t_im) / 2.0);
        out_re[n / 2 + k] = floor((half_re[k] - t_re) / 2.0);
        out_im[n / 2 + k] = floor((half_im[k] - t_im) / 2.0);
    }
}

static void add_spectrum(const double *samples) {
    double re[64], im[64], strongest = -1.0;
    int best = 0;
    transform(samples, 64, 1, re, im);
    for (int i = 0; i < 64; i++) {
        add_word(re[i]);
        add_word(im[i]);
    }
    for (int i = 1; i < 32; i++) {
        const double power = re[i] * re[i] + im[i] * im[i];
        if (power > strongest) {
            strongest = power;
            best = i;
        }
    }
    add_word(best);
}

/* Sinc of cutoff 1/8 in a Hamming window, scaled to 32768 in all. */
static void low_pass(double taps[16]) {
    double sum = 0.0;
    for (int i = 0; i < 16; i++) {
        const double x = (i - 7.5) * TURN / 8.0;
        taps[i] = sin(x) / x * (0.54 - 0.46 * cos(TURN * i / 15.0));
        sum += taps[i];
    }
    for (int i = 0; i < 16; i++) {
        taps[i] = round(taps[i] * 32768.0 / sum);
    }
}

uint32_t reference_sensor_sum(void) {
    double taps[16], raw[16 + 256 * 8] = {0.0}, smooth[256 * 8];
    double temperature = 20000.0, integral = 0.0, before = 0.0;
    low_pass(taps);
    generator = 0x73656e73u;
    running = 0x811c9dc5u;
    for (int step = 0; step < 256; step++) {
        for (int n = step * 8; n < step * 8 + 8; n++) {
            raw[16 + n] =
                trunc(sine(5 * n) / 4.0) + trunc(sine(21 * n) / 8.0) + next_symmetric(400);
            double sum = 0.0;
            for (int i = 0; i < 16; i++) {
                sum += taps[i] * raw[16 + n - i];
            }
            smooth[n] = floor(sum / 32768.0 + 0.5);
            add_word(smooth[n]);
        }
        const double error = (step / 64 % 2 == 0 ? 40000.0 : 30000.0) - temperature;
        integral = fmax(-400000.0, fmin(400000.0, integral + error));
        const double wanted =
            floor((error * 24.0 + trunc(integral / 2.0) + (error - before) * 16.0) / 256.0);
        const double power = fmax(0.0, fmin(1000.0, wanted));
        before = error;
        temperature += power - trunc((temperature - 20000.0) / 32.0) + next_symmetric(20);
        add_word(power);
        add_word(temperature);
        if (step % 8 == 7) {
            add_spectrum(smooth + step * 8 - 56);
        }
    }
    return running;
}
