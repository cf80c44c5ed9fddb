/* SPDX-License-Identifier: MIT */
/* Two threads that hand each other numbers, and a timer's interrupt. Each counts what it records; at the end the
 * trace itself says how much there must be in it. */
#include <zephyr/kernel.h>

#include "kymo/kymo.h"
#include "kymo_zephyr.h"

#define ROUNDS 1000u
#define TICK_MS 2
/* On one CPU both share it, and the higher priority of the sink makes each number a switch there and back. */
#define SOURCE_PRIORITY 5
#define SINK_PRIORITY 4

K_MSGQ_DEFINE(numbers, sizeof(uint32_t), 4, 4);

static struct { uint32_t produced, consumed, ticks, sum; } count;

static uint32_t work(uint32_t seed) {
    KYMO_FUNCTION();
    for (uint32_t i = 0u; i < 200u; i++) {
        seed = seed * 1664525u + 1013904223u;
    }
    return seed >> 24;
}

static void on_tick(struct k_timer *timer) {
    (void)timer;
    KYMO_ZONE("tick");
    count.ticks++;
}

K_TIMER_DEFINE(tick, on_tick, NULL);

static void produce(void *unused1, void *unused2, void *unused3) {
    (void)unused1;
    (void)unused2;
    (void)unused3;
    for (uint32_t i = 0u; i < ROUNDS; i++) {
        {
            KYMO_ZONE("produce");
            const uint32_t number = work(i);
            (void)k_msgq_put(&numbers, &number, K_FOREVER);
            count.produced++;
        }
        if (i % 8u == 7u) {
            k_msleep(1);
        }
    }
}

static void consume(void *unused1, void *unused2, void *unused3) {
    (void)unused1;
    (void)unused2;
    (void)unused3;
    while (count.consumed < ROUNDS) {
        uint32_t number;
        (void)k_msgq_get(&numbers, &number, K_FOREVER);
        KYMO_ZONE("consume");
        (void)work(number);
        count.sum += number;
        count.consumed++;
        KYMO_PLOT("number", number);
        if (count.consumed % 100u == 0u) {
            KYMO_MESSAGE("%u of %u numbers", count.consumed, ROUNDS);
        }
    }
}

K_THREAD_DEFINE(source, 2048, produce, NULL, NULL, NULL, SOURCE_PRIORITY, 0, 0);
K_THREAD_DEFINE(sink, 2048, consume, NULL, NULL, NULL, SINK_PRIORITY, 0, 0);

int main(void) {
    k_timer_start(&tick, K_MSEC(TICK_MS), K_MSEC(TICK_MS));
    (void)k_thread_join(source, K_FOREVER);
    (void)k_thread_join(sink, K_FOREVER);
    k_timer_stop(&tick);
    KYMO_MESSAGE("produced %u, consumed %u, ticks %u, sum %u", count.produced, count.consumed,
                 count.ticks, count.sum);
    (void)kymo_zephyr_finish(K_SECONDS(10));
    return 0;
}
