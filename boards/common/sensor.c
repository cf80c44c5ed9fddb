/* SPDX-License-Identifier: MIT */
#include "sensor.h"

#include <stddef.h>

#include "board_config.h"
#include "checksum.h"
#include "fft.h"
#include "prng.h"

#define DEMO_CORE (BOARD_CORES - 1)
#include "count.h"

#define SAMPLES 8u /* of one step */
#define TAPS 16u
#define SEED 0x73656e73u

/* How many steps go by from one set of plots to the next: the host may thin them out. */
#define PLOT_EVERY 1
KYMO_PARAM(plot_every, "sensor.plot_every", PLOT_EVERY, 1, 100);

/* Everything is in this, so that a cycle begins by clearing it. */
static struct sensor {
    uint32_t steps;
    uint32_t samples;
    uint32_t noise;
    int32_t history[TAPS]; /* the newest sample first */
    int32_t window[FFT_POINTS];
    int32_t temperature_mdeg;
    int32_t error_before;
    int32_t integral;
    uint32_t sum;
} sensor;

/* Low pass at an eighth of the sampling rate: a sinc in a Hamming window, scaled to a sum of 32768. */
static const int16_t taps[TAPS] = {
    -42, -177, -406, -352, 669, 2961, 5846, 7885, 7885, 5846, 2961, 669, -352, -406, -177, -42,
};

bool sensor_is_set(void) { return KYMO_PARAM_GET(plot_every) != PLOT_EVERY; }

void sensor_start(void) {
    static const struct sensor fresh = {
        .noise = SEED, .temperature_mdeg = 20000, .sum = CHECKSUM_START};
    sensor = fresh;
}

uint32_t sensor_sum(void) { return sensor.sum; }

static void note_result(int32_t value) { sensor.sum = checksum_int32(sensor.sum, value); }

/* ---- vibration ---- */

/* The tone, another one above the filter's limit, and noise. */
static int32_t sample(void) {
    const uint32_t n = sensor.samples++;
    return fft_sine(SENSOR_TONE * n) / 4 + fft_sine(21u * n) / 8 +
           prng_symmetric(&sensor.noise, 400u);
}

static int32_t filter(int32_t newest) {
    int32_t sum = 1 << 14;
    for (size_t i = TAPS - 1u; i > 0u; i--) {
        sensor.history[i] = sensor.history[i - 1u];
        sum += sensor.history[i] * taps[i];
    }
    sensor.history[0] = newest;
    return (sum + newest * taps[0]) >> 15;
}

static void filter_samples(void) {
    DEMO_ZONE("fir");
    int32_t *window = sensor.window + sensor.samples % FFT_POINTS;
    for (size_t i = 0u; i < SAMPLES; i++) {
        window[i] = filter(sample());
        note_result(window[i]);
    }
}

/* The strongest bin of the window, without the constant part. */
static uint32_t strongest_bin(const int32_t *real, const int32_t *imaginary, uint32_t *power) {
    uint32_t best = 1u;
    *power = 0u;
    for (uint32_t bin = 1u; bin < FFT_POINTS / 2u; bin++) {
        const uint32_t here = fft_power(real[bin], imaginary[bin]);
        if (here > *power) {
            *power = here;
            best = bin;
        }
    }
    return best;
}

static void transform(void) {
    DEMO_ZONE_NAMED(fft, "fft");
    static int32_t real[FFT_POINTS], imaginary[FFT_POINTS];
    for (size_t i = 0u; i < FFT_POINTS; i++) {
        real[i] = sensor.window[i];
        imaginary[i] = 0;
    }
    fft_forward(real, imaginary);
    for (size_t i = 0u; i < FFT_POINTS; i++) {
        note_result(real[i]);
        note_result(imaginary[i]);
    }
    uint32_t power;
    const uint32_t bin = strongest_bin(real, imaginary, &power);
    note_result((int32_t)bin);
    DEMO_ZONE_VALUE(fft, bin);
    DEMO_PLOT("vibration", power);
    DEMO_MESSAGE("spectrum", "step %u: strongest bin %u, power 0x%08x, %c", (unsigned)sensor.steps,
                 (unsigned)bin, (unsigned)power, bin == SENSOR_TONE ? 'y' : 'n');
}

/* ---- heater ---- */

static int32_t clamp(int32_t value, int32_t low, int32_t high) {
    return value < low ? low : value > high ? high : value;
}

/* One turn of a PID controller; gains in 1/256. Returns the heater's power, 0 to 1000. */
static int32_t control(int32_t target_mdeg) {
    DEMO_ZONE("pid");
    const int32_t error = target_mdeg - sensor.temperature_mdeg;
    sensor.integral = clamp(sensor.integral + error, -400000, 400000);
    const int32_t wanted =
        (error * 24 + sensor.integral / 2 + (error - sensor.error_before) * 16) >> 8;
    sensor.error_before = error;
    return clamp(wanted, 0, 1000);
}

/* The heated thing: warmed by power, cooled by the distance to 20 degrees, and a little draught. */
static void warm(int32_t power) {
    sensor.temperature_mdeg +=
        power - (sensor.temperature_mdeg - 20000) / 32 + prng_symmetric(&sensor.noise, 20u);
    note_result(power);
    note_result(sensor.temperature_mdeg);
}

/* value / 2^fraction, made of the bits of IEEE 754 binary64: no floating-point arithmetic. */
static double as_double(int32_t value, unsigned fraction) {
    union {
        uint64_t bits;
        double real;
    } made = {.bits = 0u};
    uint64_t mantissa = (uint64_t)(value < 0 ? -(int64_t)value : value);
    uint64_t exponent = 1023u + 52u - fraction;
    if (mantissa != 0u) {
        for (; mantissa >> 52 == 0u; mantissa <<= 1) {
            exponent--;
        }
        made.bits = (value < 0 ? (uint64_t)1 << 63 : 0u) | exponent << 52 |
                    (mantissa & (((uint64_t)1 << 52) - 1u));
    }
    return made.real;
}

static void plot_heater(int32_t power) {
    if (sensor.steps % (uint32_t)KYMO_PARAM_GET(plot_every) == 0u) {
        DEMO_PLOT("temperature", sensor.temperature_mdeg);
        DEMO_PLOT_CONFIG("heater", power / 10, KYMO_PLOT_PERCENT | KYMO_PLOT_STEP, 0xd04020u);
        DEMO_PLOT("filtered", sensor.history[0]);
    }
}

void sensor_step(void) {
    DEMO_ZONE_COLORED("sensor", 0x2060c0u);
    const int32_t target_mdeg = sensor.steps / 64u % 2u == 0u ? 40000 : 30000;
    filter_samples();
    const int32_t power = control(target_mdeg);
    warm(power);
    plot_heater(power);
    sensor.steps++;
    if (sensor.samples % FFT_POINTS == 0u) {
        transform();
    }
    if (sensor.steps % 64u == 0u) {
        DEMO_MESSAGE_LEVEL("target", KYMO_LEVEL_WARNING,
                           "target changes at %.2f degrees, power %d, %lld samples",
                           as_double(sensor.temperature_mdeg * 128 / 125, 10u), (int)power,
                           (long long)sensor.samples);
    }
}
