/* SPDX-License-Identifier: MIT */
/* A scene for the tables of hostlink: tasks, interrupts, locks, frames, plots, memory and messages, on a clock that the
 * scene itself moves, so that every run is the same. The stream goes to standard output.
 *
 *   scene [-n JOBS] [-s PERCENT] [-r SEED] [-d]   jobs (default 1000), how much longer each takes (default 0), and what
 *       chance begins with (default 1); -d: the ring is not drained before the end, and loses events
 *
 * Planted: one job in a hundred is slow as it allocates; the task "low" holds the lock "bus" across a "middle" task's
 * run while "high" waits for it; the interrupt "gpio" storms once; the pool "heap" leaks. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"

KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_CONTEXT(gpio, "gpio", KYMO_CONTEXT_INTERRUPT);
KYMO_POOL(heap, "heap");

static uint64_t high[2], middle[2], low[2]; /* control blocks */
static int bus, cache;
static uint32_t random_state = 1, slower;
static bool drains = true;
static uintptr_t blocks = 0x1000;

static size_t line_write(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    return fwrite(bytes, 1, length, stdout);
}
static size_t line_read(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    return length & 0u;
}

static uint32_t up_to(uint32_t most) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % most;
}

static void pass(uint32_t ns) { fake.clock += ns; }
static void work(uint32_t ns) { pass(ns + ns / 100u * slower); }

/* Packets that wait to fill go after a while. */
static void drain(bool all) {
    while ((all || drains) && (kymo_drain(0) || (all && kymo_pending()))) {
        pass(all ? 1000000u : 0u);
    }
}

static void tick(uint32_t ns) {
    KYMO_INTERRUPT(timer);
    pass(ns);
    if (up_to(8) == 0) {
        KYMO_INTERRUPT(gpio);
        pass(300);
    }
    pass(200);
}

static void storm(void) {
    for (int i = 0; i < 400; i++) {
        drain(false);
        pass(2000);
        KYMO_INTERRUPT(gpio);
        pass(700);
    }
}

static void slow_path(void) {
    KYMO_ZONE("refill");
    for (int i = 0; i < 8; i++) {
        blocks += 64;
        KYMO_ALLOC(heap, (void *)blocks, 48);
        work(9000);
    }
    tick(400);
    KYMO_FREE(heap, (void *)blocks);
    KYMO_FREE(heap, (void *)blocks); /* once too often */
}

static void job(uint32_t number) {
    KYMO_ZONE("job");
    work(20000 + up_to(5000));
    {
        KYMO_ZONE("parse");
        work(3000 + up_to(900));
        KYMO_LOCK_OBTAIN(&cache);
        work(500);
        KYMO_LOCK_RELEASE(&cache);
    }
    if (number % 100 == 42) {
        slow_path();
    }
    if (number % 7 == 0) {
        tick(600 + up_to(100));
    }
    KYMO_PLOT("queue", (int32_t)up_to(50) - 10);
    KYMO_PLOT("volts", 3.3 - 0.001 * (double)up_to(300));
}

/* "low" has the lock, "high" wants it, and "middle" runs. */
static void inversion(void) {
    (void)KYMO_CONTEXT_SWITCH(low);
    KYMO_LOCK_OBTAIN(&bus);
    pass(1000);
    (void)KYMO_CONTEXT_SWITCH(high);
    KYMO_BEGIN(zone, "control");
    KYMO_LOCK_WAIT(&bus);
    pass(100);
    (void)KYMO_CONTEXT_SWITCH(middle);
    {
        KYMO_ZONE("number crunching");
        work(50000);
        tick(500);
    }
    (void)KYMO_CONTEXT_SWITCH(low);
    pass(2000);
    KYMO_LOCK_RELEASE(&bus);
    (void)KYMO_CONTEXT_SWITCH(high);
    KYMO_LOCK_OBTAIN(&bus);
    pass(1500);
    KYMO_LOCK_RELEASE(&bus);
    KYMO_END(zone);
}

int main(int argc, char **argv) {
    uint32_t jobs = 1000;
    for (int option; (option = getopt(argc, argv, "n:s:r:d")) != -1;) {
        jobs = option == 'n' ? (uint32_t)strtoul(optarg, NULL, 10) : jobs;
        random_state = option == 'r' ? (uint32_t)strtoul(optarg, NULL, 10) : random_state;
        drains = drains && option != 'd';
        slower = option == 's' ? (uint32_t)strtoul(optarg, NULL, 10) : slower;
        if (option == '?') {
            return 2;
        }
    }
    static const struct kymo_transport transport = {.write = line_write, .read = line_read};
    fake_reset();
    fake.clock_hz = 1000000000u;
    fake.clock = 1000000u;
    kymo_init(&transport, "scene");
    KYMO_LOCK(&bus, "bus");
    KYMO_LOCK(&cache, "cache");
    kymo_context_name((uintptr_t)high, KYMO_CONTEXT_TASK, "high");
    kymo_context_name((uintptr_t)middle, KYMO_CONTEXT_TASK, "middle");
    kymo_context_name((uintptr_t)low, KYMO_CONTEXT_TASK, "low");
    for (uint32_t i = 0; i < jobs; i++) {
        KYMO_FRAME();
        const kymo_context before = KYMO_CONTEXT_SWITCH(high);
        job(i);
        if (i % 50 == 25) {
            inversion();
        }
        (void)KYMO_CONTEXT_SWITCH(before);
        if (i == jobs / 2) {
            KYMO_MESSAGE_LEVEL(KYMO_LEVEL_WARNING, "the storm of job %u", i);
            storm();
        }
        KYMO_FRAME_START("idle");
        pass(30000 + up_to(20000));
        KYMO_FRAME_END("idle");
        if (i % 100 == 99) {
            KYMO_MESSAGE_LEVEL(KYMO_LEVEL_INFO, "%u jobs", i + 1);
        }
        drain(false);
    }
    KYMO_ALLOC(heap, (void *)0x1040, 16); /* it is live */
    KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "over, \"%s\"", "really");
    kymo_finish();
    drain(true);
    return 0;
}
