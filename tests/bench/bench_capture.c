/* SPDX-License-Identifier: MIT */
/* A capture to measure hostlink with, on standard output: the runtime on a scripted clock.
 *
 *   bench_capture EVENTS TASKS [zones|memory|locks]
 *
 * Each task in turn records a zone; every fourth zone has one inside it, every 16th a plot, every 64th a message. With
 * one task it is the main code. Or it allocates and frees blocks, or waits for locks, obtains and releases them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"

/* Below this many more events the ring is never full. */
#define EVENTS_A_DRAIN 64u

KYMO_POOL(heap, "heap");

static unsigned long events;

static size_t line_write(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    ssize_t count = write(STDOUT_FILENO, bytes, length);
    if (count < 0) {
        perror("bench_capture");
        exit(1);
    }
    return (size_t)count;
}

static const struct kymo_transport transport = {.write = line_write};

static void inner(uint32_t round) {
    KYMO_ZONE("inner");
    fake.clock += 50u + round % 7u * 30u;
    events += 2;
}

static void outer(uint32_t round) {
    KYMO_ZONE("outer");
    fake.clock += 100u + round % 13u * 10u;
    if (round % 4u == 0u) {
        inner(round);
    }
    if (round % 16u == 0u) {
        KYMO_PLOT("level", (int32_t)(round % 100u));
        events++;
    }
    if (round % 64u == 0u) {
        KYMO_MESSAGE("round %u", round);
        events++;
    }
    events += 2;
}

static void memory(uint32_t round) {
    static char blocks[64][16];
    fake.clock += 100u + round % 13u * 10u;
    KYMO_ALLOC(heap, blocks[round % 64u], 16u + round % 7u);
    fake.clock += 50u;
    KYMO_FREE(heap, blocks[(round + 32u) % 64u]);
    events += 2;
}

static void lock(uint32_t round) {
    static char locks[4];
    const char *of = &locks[round % 4u];
    if (round < 4u) {
        KYMO_LOCK(of, "bus");
    }
    KYMO_LOCK_WAIT(of);
    fake.clock += 100u + round % 13u * 10u;
    KYMO_LOCK_OBTAIN(of);
    fake.clock += 50u;
    KYMO_LOCK_RELEASE(of);
    events += 3;
}

static const struct work {
    const char *name;
    void (*round)(uint32_t round);
} works[] = {{"zones", outer}, {"memory", memory}, {"locks", lock}};

static const struct work *find_work(const char *name) {
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        if (strcmp(works[i].name, name) == 0) {
            return &works[i];
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    const unsigned long wanted = argc >= 3 ? strtoul(argv[1], NULL, 10) : 0;
    const uint32_t tasks = argc >= 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    const struct work *work = find_work(argc >= 4 ? argv[3] : "zones");
    if (wanted == 0 || tasks == 0 || work == NULL) {
        fprintf(stderr, "usage: bench_capture EVENTS TASKS [zones|memory|locks]\n");
        return 2;
    }
    fake.clock = 1000000u;
    kymo_init(&transport, "bench");
    unsigned long drained = 0;
    for (uint32_t round = 0; events < wanted; round++) {
        if (tasks > 1) {
            (void)kymo_context_switch((kymo_context)(0x10000u + round % tasks * 8u));
        }
        work->round(round);
        fake.clock += 20u;
        if (events - drained >= EVENTS_A_DRAIN) {
            drained = events;
            while (kymo_drain(0) > 0) {}
        }
    }
    kymo_finish();
    while (kymo_drain(0) > 0) {}
    return 0;
}
