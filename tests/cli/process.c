/* SPDX-License-Identifier: MIT */
/* A program with the POSIX port that ends in one of two ways: it stops at process_stands(), for a debugger that saves a
 * core file, and then sends to standard output what it has recorded; or, with the argument "crash", it crashes, for the
 * kernel's core file, which not every machine leaves where a test could find it: tried by hand. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kymo/kymo.h"
#include "posix_fd.h"

/* More than the rings keep where they keep the newest. */
#define ROUNDS 3000u

static char name[32]; /* of a thread, made at run time */

void process_stands(void);
__attribute__((noinline)) void process_stands(void) { __asm__ volatile("" ::: "memory"); }

static void work(uint32_t round) {
    KYMO_ZONE("round");
    KYMO_PLOT("number", (int)round);
    if (round % 16u == 0u) {
        KYMO_FUNCTION();
        KYMO_MESSAGE("round %u of %s", round, name);
    }
}

static void *run(void *argument) {
    (void)argument;
    kymo_lane_name(name);
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        work(round);
    }
    return NULL;
}

int main(int argc, char **argv) {
    static struct kymo_posix_fd out;
    pthread_t thread;
    if (kymo_posix_fd_init(&out, STDOUT_FILENO, false) != 0) {
        return 1;
    }
    (void)snprintf(name, sizeof name, "thread of %d", argc);
    kymo_init(kymo_posix_fd_transport(&out), "a process");
    if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        return 1;
    }
    for (uint32_t round = 0u; round < 10u; round++) {
        work(round);
    }
    process_stands();
    if (argc > 1 && strcmp(argv[1], "crash") == 0) {
        abort();
    }
    kymo_finish();
    while (kymo_pending() && kymo_posix_fd_error(&out) == 0) {
        (void)kymo_drain(0u);
    }
    return kymo_posix_fd_error(&out) == 0 ? 0 : 1;
}
