/* SPDX-License-Identifier: MIT */
/* The demo: a neural network on core 0, a sensor loop on core 1 (or between the layers where there is
 * only one), a 1 kHz timer interrupt. It checks what it computes, counts what it records, and says both
 * at its end. */
#include <stdatomic.h>

#include "board.h"
#include "host_line.h"
#include "net.h"
#include "sensor.h"
#include "sums.h"

#define DEMO_CORE 0
#include "count.h"

#define IMAGE_MS 25u
#define IMAGES (DEMO_IMAGES / DEMO_SHARE)
#define SENSOR_CYCLES ((DEMO_SENSOR_CYCLES + DEMO_SHARE - 1) / DEMO_SHARE)
#define SENSOR_STEPS_TOTAL (SENSOR_CYCLES * SENSOR_STEPS)
/* Bytes of trace that are sent in one go: a fraction of a millisecond, so that the loop keeps its time. */
#define DRAIN_BYTES 64u
/* So many ticks are recorded, however slow the core, the line or the host: on one core, from one point where the
 * trace is sent to the next, as small rings have room for; on two, of each image, as then a ring holds the demo. */
#define TICKS_MAX (BOARD_CORES == 1 ? 16u : 32u)

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

static uint32_t ticks;
static volatile uint32_t recent_ticks;
static volatile uint32_t images_done;

/* ---- the timer interrupt, on core 0 ---- */

static void on_tick(void) {
    recent_ticks++;
    if (recent_ticks > TICKS_MAX) {
        kymo_clock_keepalive();
        return;
    }
    DEMO_INTERRUPT(timer, "timer");
    DEMO_ZONE("tick");
    kymo_clock_keepalive();
    ticks++;
    if (ticks % 64u == 0u) {
        DEMO_PLOT("images", images_done);
    }
}

/* ---- the sensor loop ---- */

static struct {
    uint32_t steps;
    uint32_t due; /* in board_ticks() */
    uint32_t wrong_cycles;
} loop;

/* Sends all that fills a packet. A demo has the time to wait for a full line, where a small ring would
 * overflow; two cores have rings that hold the whole demo. */
static void send_backlog(void) {
    bool moved;
    do {
        moved = kymo_drain(0u);
    } while (moved || (BOARD_CORES == 1 && host_line_is_full()));
    if (BOARD_CORES == 1) {
        recent_ticks = 0u;
    }
}

static bool sensor_finished(void) { return loop.steps == SENSOR_STEPS_TOTAL; }

static bool sensor_due(void) {
    return !sensor_finished() && (int32_t)(board_ticks() - loop.due) >= 0;
}

/* Late steps are made up for, so that their number does not depend on the machine's speed. The core of
 * this loop also sends the trace: after each step, or a row of late ones would overflow a small ring. */
static void sensor_poll(void) {
    while (sensor_due()) {
        if (loop.steps % SENSOR_STEPS == 0u) {
            sensor_start();
        }
        sensor_step();
        loop.due += SENSOR_PERIOD_MS;
        loop.steps++;
        if (loop.steps % SENSOR_STEPS == 0u && sensor_sum() != SUMS_SENSOR) {
            loop.wrong_cycles++;
        }
        send_backlog();
    }
}

static bool core_1_runs; /* and has the sensor loop, which else core 0 runs between the layers */
static atomic_bool images_finished; /* core 0 says */
static atomic_bool core_1_finished; /* core 1 says: it will not record nor drain again */

#if BOARD_CORES > 1

/* Core 1 has the time, so it also sends the trace of both cores. */
static void core_1(void) {
    kymo_lane_name("core 1");
    while (!sensor_finished() || !atomic_load_explicit(&images_finished, memory_order_acquire)) {
        sensor_poll();
        kymo_clock_keepalive();
        if (!kymo_drain(DRAIN_BYTES)) {
            board_idle();
        }
    }
    atomic_store_explicit(&core_1_finished, true, memory_order_release);
}

static void start_sensor(void) { core_1_runs = board_start_core(1u, core_1); }

#else

static void start_sensor(void) {}

#endif

void net_between_layers(void) {
    if (!core_1_runs) {
        sensor_poll();
        send_backlog();
    }
}

static bool sensor_runs(void) {
    return core_1_runs ? !atomic_load_explicit(&core_1_finished, memory_order_acquire)
                       : !sensor_finished();
}

static void finish_sensor(void) {
    atomic_store_explicit(&images_finished, true, memory_order_release);
    while (sensor_runs()) {
        net_between_layers();
        board_idle();
    }
}

/* ---- the network ---- */

/* The camera takes an image each IMAGE_MS; if the last one took longer, the next one is waiting. */
static void wait_for_camera(uint32_t image) {
    while ((int32_t)(board_ticks() - image * IMAGE_MS) < 0) {
        net_between_layers();
        board_idle();
    }
}

/* Returns how many images came out wrong. */
static uint32_t look_at_images(void) {
    uint32_t wrong = 0u;
    for (uint32_t i = 0u; i < IMAGES; i++) {
        const uint32_t expected = sums_scenes[i % NET_SCENES];
        struct net_result result = {0, 0, 0u};
        wait_for_camera(i);
        recent_ticks = 0u;
        if (!net_run(i, &result) || result.sum != expected) {
            wrong++;
            DEMO_MESSAGE_LEVEL("wrong", KYMO_LEVEL_ERROR, "image %u: sum 0x%08x instead of 0x%08x",
                               (unsigned)i, (unsigned)result.sum, (unsigned)expected);
        }
        DEMO_MESSAGE("verdict", "image %u: steering %d, collision %d: %s", (unsigned)i,
                     result.steering, result.collision,
                     result.collision > 50 ? KYMO_STRING("brake") : KYMO_STRING("go on"));
        images_done = i + 1u;
        DEMO_FRAME("image");
    }
    return wrong;
}

/* ---- the end ---- */

static void print_result(const char *what, uint32_t count, uint32_t wrong) {
    struct text line;
    text_start(&line, "demo: ");
    text_add_number(&line, count);
    text_add(&line, what);
    text_add_number(&line, wrong);
    text_add(&line, " wrong");
    host_line_print(&line);
}

static int report(uint32_t wrong_images) {
    struct text line;
    count_report(host_line_print);
    print_result(" images, ", IMAGES, wrong_images);
    print_result(" sensor cycles, ", SENSOR_CYCLES, loop.wrong_cycles);
    if (BOARD_CORES > 1 && !core_1_runs) {
        text_start(&line,
                   "demo: this machine has no second core: the first one did the work of both");
        host_line_print(&line);
    }
    const bool passed = wrong_images == 0u && loop.wrong_cycles == 0u;
    text_start(&line, passed ? "demo: checks passed" : "demo: checks FAILED");
    host_line_print(&line);
    return passed ? 0 : 1;
}

int main(void) {
    board_init();
    kymo_init(host_line(), "kymo demo");
    while (DEMO_WAITS && !sensor_is_set()) {
        (void)kymo_drain(0u);
    }
    kymo_lane_name("core 0");
    static const char info[] = "kymo demo: int8 network and sensor loop";
    DEMO_APP_INFO(info, sizeof info - 1u);
    DEMO_MESSAGE("start", "%u images of %ux%u, %u sensor steps, %s, code at %p", (unsigned)IMAGES,
                 (unsigned)DEMO_IMAGE_SIDE, (unsigned)DEMO_IMAGE_SIDE, (unsigned)SENSOR_STEPS_TOTAL,
                 "no operating system", (const void *)info);
    net_init();
    board_timer_start(on_tick);
    start_sensor();
    const uint32_t wrong_images = look_at_images();
    finish_sensor();
    board_timer_stop();
    const int status = report(wrong_images);
    /* The last word, as a host may leave after it. */
    kymo_finish();
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
    return status;
}
