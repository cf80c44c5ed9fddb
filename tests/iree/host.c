/* SPDX-License-Identifier: MIT */
/* The programs under Linux, like IREE's own: nothing here starts kymo. "wrong" as the argument: those with errors;
 * "quiet": one that never says that it begins or ends; "busy": a worker that runs for long; "leaves": one
 * that calls _exit() after it has said so. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracing.h"

#include "program.h"

#define WORKERS 4u
#define ROUNDS 150u

static void *work(void *argument) {
    const unsigned worker = (unsigned)(uintptr_t)argument;
    worker_begins(worker);
    for (unsigned round = 0u; round < ROUNDS; round++) {
        worker_round(worker, round);
    }
    return NULL;
}

static void *begin_fiber(void *unused) {
    fiber_begins();
    return unused;
}

#define BUSY_NS INT64_C(300000000)

static int64_t now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Longer than several periods of samples. */
static int keep_busy(void) {
    const int64_t end_ns = now_ns() + BUSY_NS;
    worker_begins(0u);
    worker_round(0u, 1u);
    while (now_ns() < end_ns) {}
    return 0;
}

static int execute(void) {
    pthread_t threads[WORKERS];
    for (uintptr_t i = 0u; i < WORKERS; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0) {
            return 1;
        }
    }
    for (uintptr_t i = 0u; i < WORKERS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    return 0;
}

static int wander(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, begin_fiber, NULL) != 0) {
        return 1;
    }
    (void)pthread_join(thread, NULL);
    fiber_ends();
    return 0;
}

int main(int argc, char **argv) {
    int status = 0;
    if (argc > 1 && strcmp(argv[1], "wrong") == 0) {
        calls_wrong();
    } else if (argc > 1 && strcmp(argv[1], "quiet") == 0) {
        return execute();
    } else if (argc > 1 && strcmp(argv[1], "busy") == 0) {
        return keep_busy();
    } else if (argc > 1 && strcmp(argv[1], "leaves") == 0) {
        status = execute();
        IREE_TRACE_APP_EXIT(status);
        _exit(status);
    } else {
        IREE_TRACE_APP_ENTER();
        status = calls_c();
        status = status != 0 ? status : calls_cxx();
        status = status != 0 ? status : execute();
        status = status != 0 ? status : execute(); /* other threads, on the lanes of those */
        status = status != 0 ? status : wander();
    }
    IREE_TRACE_APP_EXIT(status);
    (void)fprintf(stderr, "status %d\n", status);
    return status;
}
