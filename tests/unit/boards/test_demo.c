/* SPDX-License-Identifier: MIT */
/* The demo's arithmetic, on this machine, against a second formulation of it and the stored sums.
 * Built once for each size of the network that boards use. */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "demo_reference.h"
#include "fft.h"
#include "net.h"
#include "pool.h"
#include "prng.h"
#include "sensor.h"
#include "sums.h"
#include "text.h"

static unsigned pauses;

void net_between_layers(void) { pauses++; }

CASE(scenes_match_reference_and_stored_sums) {
    for (unsigned scene = 0; scene < NET_SCENES; scene++) {
        struct net_result result;
        assert_true(net_run(scene, &result));
        assert_int_equal(result.sum, reference_scene_sum(DEMO_IMAGE_SIDE, DEMO_CHANNELS, scene));
        assert_int_equal(result.sum, sums_scenes[scene]);
    }
}

/* Also: the pool gets back all that it gave, else the third run at the latest would fail. */
CASE(scenes_repeat) {
    for (unsigned scene = 0; scene < 2 * NET_SCENES; scene++) {
        struct net_result result;
        assert_true(net_run(scene, &result));
        assert_int_equal(result.sum, sums_scenes[scene % NET_SCENES]);
    }
}

CASE(network_pauses_after_each_layer) {
    struct net_result result;
    pauses = 0;
    assert_true(net_run(0, &result));
    assert_in_range(pauses, 8, 16);
}

static uint32_t sensor_cycle(void) {
    sensor_start();
    for (unsigned step = 0; step < SENSOR_STEPS; step++) {
        sensor_step();
    }
    return sensor_sum();
}

CASE(sensor_matches_reference_and_repeats) {
    assert_int_equal(sensor_cycle(), reference_sensor_sum());
    assert_int_equal(sensor_cycle(), SUMS_SENSOR);
}

CASE(sine_is_a_sine) {
    for (uint32_t phase = 0; phase < 3 * FFT_POINTS; phase++) {
        const double exact = 32767.0 * sin(2.0 * acos(-1.0) * phase / FFT_POINTS);
        assert_true(fabs(exact - fft_sine(phase)) <= 0.5 + 1e-6);
    }
}

/* Each of the six stages is off by less than 1.6: 1/2 from halving down, 1/4 from rounding the turn,
 * 0.85 from sines that are up to 1.5 / 32768 short. The stages average the errors before them. */
CASE(transform_is_near_the_definition) {
    uint32_t random = 1;
    for (int round = 0; round < 50; round++) {
        int32_t input[FFT_POINTS], re[FFT_POINTS], im[FFT_POINTS] = {0};
        for (uint32_t i = 0; i < FFT_POINTS; i++) {
            input[i] = re[i] = round == 0 ? 32767 : prng_symmetric(&random, 32767);
        }
        fft_forward(re, im);
        for (uint32_t bin = 0; bin < FFT_POINTS; bin++) {
            double sum_re = 0.0, sum_im = 0.0;
            for (uint32_t i = 0; i < FFT_POINTS; i++) {
                const double angle = 2.0 * acos(-1.0) * bin * i / FFT_POINTS;
                sum_re += input[i] * cos(angle) / FFT_POINTS;
                sum_im -= input[i] * sin(angle) / FFT_POINTS;
            }
            assert_true(fabs(sum_re - re[bin]) < 6 * 1.6);
            assert_true(fabs(sum_im - im[bin]) < 6 * 1.6);
        }
    }
}

CASE(pool_gives_each_block_once) {
    static _Alignas(16) unsigned char memory[3][32];
    struct pool pool;
    pool_init(&pool, memory, 32, 3);
    assert_null(pool_take(&pool, 33));
    void *blocks[3];
    for (int i = 0; i < 3; i++) {
        blocks[i] = pool_take(&pool, 32);
        assert_non_null(blocks[i]);
        memset(blocks[i], i + 1, 32);
    }
    assert_null(pool_take(&pool, 1));
    for (int i = 0; i < 3; i++) {
        for (int at = 0; at < 32; at++) {
            assert_int_equal(((unsigned char *)blocks[i])[at], i + 1);
        }
    }
    pool_give(&pool, blocks[1]);
    assert_ptr_equal(pool_take(&pool, 8), blocks[1]);
    assert_null(pool_take(&pool, 8));
}

static void assert_text(const struct text *text, const char *expected) {
    assert_int_equal(text->length, strlen(expected));
    assert_memory_equal(text->bytes, expected, text->length);
}

CASE(text_is_put_together) {
    struct text text;
    text_start(&text, "a ");
    text_add_number(&text, 0);
    text_add(&text, "|");
    text_add_number(&text, 4294967295u);
    assert_text(&text, "a 0|4294967295");
    text_start(&text, "");
    for (int i = 0; i < TEXT_BYTES; i++) {
        text_add(&text, "xyz");
    }
    assert_int_equal(text.length, TEXT_BYTES);
}

FIXTURE(set_up) {
    net_init();
    return 0;
}

CASES_BETWEEN(set_up, NULL);
