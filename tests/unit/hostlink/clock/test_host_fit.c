/* SPDX-License-Identifier: MIT */
/* A board's time on the host's clock (clock/host_fit.h). The test knows the truth: it makes both clocks, and the time
 * that each packet takes. */
#include "clock/host_fit.h"

#include <math.h>
#include <stdlib.h>

#include "cases.h"

#define SECOND 1000000000.0
#define BOOT_NS INT64_C(5000000000000)

/* The board's clock against the host's, and the line between them. */
struct world {
    double seconds;
    double ppm, swing_ppm, swing_s; /* its rate: the mean, and a wave around it */
    double tick_ns;
    double least_ns, more_ns; /* of a way: the least, and the mean of what comes on top */
    double slow_begin_ns;     /* in the first and the last second each way takes so much more */
    bool pings;
};

static uint64_t chance;

static double random_part(void) {
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(chance >> 11) / 9007199254740992.0;
}

/* The board's exact time, in ns since the host's BOOT_NS. */
static double board_at(const struct world *w, double ns) {
    const double turn = 2.0 * 3.14159265358979 / (w->swing_s * SECOND);
    return 1e9 + ns * (1.0 + w->ppm / 1e6) +
           w->swing_ppm / 1e6 * (1.0 - cos(ns * turn)) / turn; /* the integral of a sine */
}

static double tick_of(const struct world *w, double ns) {
    return floor(board_at(w, ns) / w->tick_ns) * w->tick_ns;
}

static double way(const struct world *w, double ns) {
    const bool slow = ns < SECOND || ns > (w->seconds - 1.0) * SECOND;
    return w->least_ns - w->more_ns * log(1.0 - random_part()) + (slow ? w->slow_begin_ns : 0.0);
}

static void mark(struct host_fit *fit, const struct world *w, bool asked, double board_ns,
                 double host_ns) {
    const struct host_mark m = {.asked = asked,
                                .board_ns = (int64_t)(board_ns + (asked ? w->tick_ns : 0.0)),
                                .host_ns = BOOT_NS + (int64_t)host_ns,
                                .tick_ns = (int64_t)w->tick_ns};
    assert_int_equal(host_fit_take(fit, &m), 0);
}

/* A train of eight pings four times a second. */
static void play(struct host_fit *fit, const struct world *w) {
    chance = 28;
    for (double at = 0.0; at < w->seconds * SECOND; at += SECOND / 4.0) {
        double ns = at + random_part() * SECOND / 16.0;
        for (unsigned i = 0; i < 8; i++) {
            const double read = ns + way(w, ns), came = read + way(w, ns);
            if (w->pings) {
                mark(fit, w, true, tick_of(w, read), ns);
            }
            mark(fit, w, false, tick_of(w, read), came);
            ns = came + 1000.0;
        }
    }
}

/* The greatest stated error: no event's time is off by more, at no time. */
static double greatest_bound(const struct host_fit *fit, const struct world *w) {
    double most = 0.0;
    for (double ns = SECOND; ns < (w->seconds - 1.0) * SECOND; ns += SECOND / 173.0) {
        int64_t bound = 0;
        const int64_t shown = host_fit_ns(fit, 0, (int64_t)tick_of(w, ns), &bound);
        const double off = fabs((double)(shown - BOOT_NS) - ns);
        if (off > (double)bound + 2.0) {
            fail_msg("%.3f s: %.0f ns off, %lld ns stated", ns / SECOND, off, (long long)bound);
        }
        most = (double)bound > most ? (double)bound : most;
    }
    return most;
}

static double bound_of(const struct world *w) {
    struct host_fit fit = {0};
    play(&fit, w);
    assert_int_equal(host_fit_settle(&fit), 0);
    const double most = greatest_bound(&fit, w);
    host_fit_free(&fit);
    return most;
}

static const struct world crystal = {.seconds = 60.0,
                                     .ppm = 100.0,
                                     .swing_ppm = 8.0,
                                     .swing_s = 40.0,
                                     .tick_ns = 1.0,
                                     .least_ns = 3000.0,
                                     .more_ns = 50000.0,
                                     .pings = true};

/* Half of the best round trip of a train would be 30 us; the best of each way alone is less. */
CASE(each_way_alone) { assert_true(bound_of(&crystal) < 25000.0); }

/* With next to no time on the way what is left is the change of rate between two trains. */
CASE(a_perfect_line) {
    struct world w = crystal;
    w.least_ns = w.more_ns = 1.0;
    assert_true(bound_of(&w) < 5000.0);
}

CASE(a_slow_counter) {
    struct world w = crystal;
    w.tick_ns = 30517.0; /* 32 768 Hz */
    const double most = bound_of(&w);
    assert_true(most > 30517.0 && most < 80000.0);
}

/* The rate is known from the middle as well. */
CASE(a_slow_begin_and_end) {
    struct world w = crystal;
    w.slow_begin_ns = 6e6;
    struct host_fit fit = {0};
    play(&fit, &w);
    assert_int_equal(host_fit_settle(&fit), 0);
    w.seconds -= 2.0;
    struct world middle = w;
    middle.seconds = 55.0;
    int64_t bound = 0;
    (void)greatest_bound(&fit, &middle);
    (void)host_fit_ns(&fit, 0, (int64_t)tick_of(&w, 30.0 * SECOND), &bound);
    assert_true(bound < 25000);
    host_fit_free(&fit);
}

/* A resistor and a capacitor that warm up: the marks show that it is no crystal. */
CASE(no_crystal) {
    struct world w = crystal;
    w.ppm = 4000.0;
    w.swing_ppm = 2000.0;
    w.swing_s = 20.0;
    assert_true(bound_of(&w) < 2000000.0);
}

CASE(without_pings) {
    struct world w = crystal;
    w.pings = false;
    struct host_fit fit = {0};
    bool pinged = true;
    play(&fit, &w);
    assert_int_equal(host_fit_settle(&fit), 0);
    (void)greatest_bound(&fit, &w);
    assert_true(host_fit_bound(&fit, &pinged) >= HOST_FIT_DELAY_NS / 2);
    assert_false(pinged);
    host_fit_free(&fit);
}

/* A board that is reset at once: when its next session begins is in no mark, but it was before the latest one. */
CASE(a_session_without_marks) {
    struct host_fit fit = {0};
    int64_t bound = 0, own = 0;
    play(&fit, &crystal);
    const struct host_mark later = {.session = 2,
                                    .asked = true,
                                    .board_ns = INT64_C(70000000000),
                                    .host_ns = BOOT_NS + INT64_C(90000000000)};
    assert_int_equal(host_fit_take(&fit, &later), 0);
    assert_int_equal(host_fit_settle(&fit), 0);
    const int64_t shown = host_fit_ns(&fit, 1, INT64_C(62000000000), &bound);
    assert_true(shown + bound > later.host_ns && shown - bound < BOOT_NS + INT64_C(60000000000));
    (void)host_fit_ns(&fit, 0, INT64_C(62000000000), &own);
    assert_true(own < 1000000);
    host_fit_free(&fit);
}

/* Hours, in windows that become longer. */
CASE(four_hours) {
    struct world w = crystal;
    w.seconds = 4.0 * 3600.0;
    w.swing_s = 3600.0;
    assert_true(bound_of(&w) < 60000.0);
}
