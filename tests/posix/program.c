/* SPDX-License-Identifier: MIT */
/* Threads that record as fast as they can, with the POSIX port; the capture goes to standard output, and what hostlink
 * must find in it to standard error: "clock NAME HZ" and "events NUMBER". Needs nothing but a C library. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "posix_fd.h"

#define THREADS 3u
#define ROUNDS 2000u
#define EVENTS_OF_ROUND 5u

static uint32_t running = THREADS;

static void *work(void *argument) {
    uint64_t before = 0u;
    (void)argument;
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        KYMO_ZONE("round");
        KYMO_PLOT("number", round);
        { KYMO_ZONE("inner"); }
        const uint64_t now = kymo_arch_clock();
        if (now < before) {
            (void)fprintf(stderr, "the clock goes back\n");
        }
        before = now;
    }
    (void)__atomic_fetch_sub(&running, 1u, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void) {
    static struct kymo_posix_fd out;
    pthread_t threads[THREADS];
    if (kymo_posix_fd_init(&out, STDOUT_FILENO, false) != 0) {
        return 1;
    }
    kymo_init(kymo_posix_fd_transport(&out), "posix");
    for (uint32_t i = 0u; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, NULL) != 0) {
            return 1;
        }
    }
    while (__atomic_load_n(&running, __ATOMIC_SEQ_CST) != 0u) {
        (void)kymo_drain(0u);
    }
    for (uint32_t i = 0u; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    kymo_finish();
    while (kymo_pending() && kymo_posix_fd_error(&out) == 0) {
        (void)kymo_drain(0u);
    }
    (void)fprintf(stderr, "clock %s %llu\nevents %u\n", kymo_posix_clock_name(),
                  (unsigned long long)kymo_arch_clock_hz(), THREADS * ROUNDS * EVENTS_OF_ROUND);
    return kymo_posix_fd_error(&out) == 0 ? 0 : 1;
}
