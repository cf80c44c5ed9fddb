/* SPDX-License-Identifier: MIT */
/* The client starts when the program, or the library that contains it, is loaded, and ends when it is unloaded. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/host_clock.h"
#include "client/crash.h"
#include "client/settings.h"
#include "client/worker.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/tracy.h"

#define STACK_BYTES 262144u

/* Longest that a crash is held up, as when the thread that crashed had a lock that the client needs. */
#define RESCUE_NS (UINT64_C(10) * NS_PER_S)
#define RESCUE_REST_NS (5 * NS_PER_MS)

#ifdef TRACY_NO_CRASH_HANDLER
#define CRASH_HANDLER false
#else
#define CRASH_HANDLER true
#endif
#ifdef TRACY_MANUAL_LIFETIME
#define BY_HAND true
#else
#define BY_HAND false
#endif

/* Named by -u, so that a linker takes this file from its library. */
extern const char kymo_client_linked;
#define SEEN __attribute__((visibility("protected")))
SEEN const char kymo_client_linked = 1;

static struct worker *worker; /* NULL: none, or this is the child of a fork() */
static pthread_t thread;

static void *run(void *argument) {
    kymo_posix_untraced();
    worker_run(argument);
    return NULL;
}

/* The program's signals are for its own threads. */
static bool start_thread(void) {
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, &attributes, run, worker) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    if (started) {
        (void)pthread_setname_np(thread, "kymo");
    }
    return started;
}

/* The child has no thread that reads, and its sockets are the parent's. */
static void in_child(void) {
    if (worker != NULL) {
        kymo_stop();
        worker_abandon(worker);
        worker = NULL;
    }
}

/* Runs in a signal handler. The client's own thread has nothing to wait for. */
static void rescue(void) {
    struct worker *const watched = worker;
    const uint64_t until_ns = host_monotonic_ns() + RESCUE_NS;
    const struct timespec rest = {.tv_nsec = (long)RESCUE_REST_NS};
    if (watched == NULL || pthread_equal(pthread_self(), thread) || !worker_is_watched(watched)) {
        return;
    }
    worker_end(watched);
    while (!worker_is_over(watched) && host_monotonic_ns() < until_ns) {
        (void)nanosleep(&rest, NULL);
    }
}

static void start(void) {
    struct client_settings settings;
    client_settings_read(&settings);
    worker = worker_new(&settings);
    if (worker == NULL) {
        kymo_stop();
    } else if (!start_thread()) {
        worker_free(worker);
        worker = NULL;
        kymo_stop();
    } else if (CRASH_HANDLER) {
        crash_watch(rescue);
    }
}

static void end(void) {
    struct worker *ending = worker;
    if (ending != NULL) {
        if (CRASH_HANDLER) {
            crash_forget();
        }
        worker_end(ending);
        (void)pthread_join(thread, NULL);
        worker = NULL;
        kymo_stop();
        kymo_init(NULL, "");
        worker_free(ending);
    }
}

SEEN void kymo_client_start(void) {
    if (worker == NULL) {
        kymo_start();
        start();
    }
}

SEEN void kymo_client_stop(void) { end(); }

__attribute__((constructor)) static void load(void) {
    (void)pthread_atfork(NULL, NULL, in_child);
    if (BY_HAND) {
        kymo_stop();
    } else {
        start();
    }
}

/* Runs after the functions of atexit() and destructors of C++. */
__attribute__((destructor)) static void unload(void) { end(); }
