/* SPDX-License-Identifier: MIT */
#include "sink/histogram.h"

#include <stdlib.h>

#include "cases.h"

static int by_value(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

CASE(empty) {
    struct histogram histogram = {0};
    assert_int_equal(histogram_percentile(&histogram, 50), 0);
    histogram_free(&histogram);
}

CASE(small_values_are_exact) {
    for (uint64_t value = 0; value < 64; value++) {
        struct histogram histogram = {0};
        assert_int_equal(histogram_add(&histogram, value), 0);
        assert_int_equal(histogram_percentile(&histogram, 50), value);
        histogram_free(&histogram);
    }
}

/* Every value, alone, comes back within 1/64 of itself: around each power of two, and the extremes. */
CASE(error_is_bounded) {
    for (unsigned bit = 6; bit < 64; bit++) {
        for (uint64_t step = 0; step < 130; step++) {
            uint64_t value = (UINT64_C(1) << bit) + step * ((UINT64_C(1) << bit) / 130) - 1;
            struct histogram histogram = {0};
            assert_int_equal(histogram_add(&histogram, value), 0);
            uint64_t seen = histogram_percentile(&histogram, 99);
            assert_true(distance(seen, value) <= value / 64 + 1);
            histogram_free(&histogram);
        }
    }
    struct histogram histogram = {0};
    assert_int_equal(histogram_add(&histogram, UINT64_MAX), 0);
    assert_true(histogram_percentile(&histogram, 1) >= UINT64_MAX - UINT64_MAX / 64);
    histogram_free(&histogram);
}

/* Against the exact nearest rank of sorted values. */
CASE(percentiles) {
    enum { COUNT = 9973 };
    static uint64_t values[COUNT];
    struct histogram histogram = {0};
    uint64_t random = 1;
    for (size_t i = 0; i < COUNT; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        values[i] = (random >> 20) >> (random % 40);
        assert_int_equal(histogram_add(&histogram, values[i]), 0);
    }
    qsort(values, COUNT, sizeof values[0], by_value);
    for (unsigned percent = 1; percent <= 100; percent++) {
        size_t rank = (COUNT * percent + 99) / 100;
        uint64_t exact = values[rank - 1];
        uint64_t seen = histogram_percentile(&histogram, percent);
        assert_true(distance(seen, exact) <= exact / 64 + 1);
    }
    histogram_free(&histogram);
}
