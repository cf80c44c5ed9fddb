/* SPDX-License-Identifier: MIT */
#include "client/crash.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/host_clock.h"
#include "kymo/kymo.h"

#define CRASHES 5

static const struct crash {
    int number;
    const char *name;
} crashes[CRASHES] = {{SIGSEGV, "SIGSEGV"},
                      {SIGBUS, "SIGBUS"},
                      {SIGILL, "SIGILL"},
                      {SIGFPE, "SIGFPE"},
                      {SIGABRT, "SIGABRT"}};

static crash_rescue *rescue_by;
static bool crashed; /* atomic */

static void on_crash(int number, siginfo_t *info, void *context);

static bool is_ours(int number) {
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
           now.sa_sigaction == on_crash;
}

/* If several threads crash, the first one reports. When this returns, the faulty instruction runs again and abort()
 * raises its signal again; a signal that another process sent is raised here. */
static void on_crash(int number, siginfo_t *info, void *context) {
    const int error = errno;
    (void)context;
    if (!__atomic_exchange_n(&crashed, true, __ATOMIC_ACQ_REL)) {
        const char *name = "a signal";
        for (size_t i = 0; i < CRASHES; i++) {
            name = crashes[i].number == number ? crashes[i].name : name;
        }
        KYMO_MESSAGE_LEVEL(
            KYMO_LEVEL_CRASH, "the program crashes: %s, address 0x%llx", name,
            (unsigned long long)(uintptr_t)(info->si_code > 0 ? info->si_addr : NULL));
        rescue_by();
        crash_forget();
    } else {
        const struct timespec rest = {.tv_nsec = (long)(10 * NS_PER_MS)};
        while (is_ours(number)) {
            (void)nanosleep(&rest, NULL);
        }
    }
    if (info->si_code <= 0) {
        (void)raise(number); /* comes when this returns */
    }
    errno = error;
}

/* Leaves signals alone that the program or a sanitizer handles. */
void crash_watch(crash_rescue *rescue) {
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    (void)sigemptyset(&action.sa_mask);
    rescue_by = rescue;
    for (size_t i = 0; i < CRASHES; i++) {
        struct sigaction before;
        if (sigaction(crashes[i].number, NULL, &before) == 0 &&
            (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_DFL) {
            (void)sigaction(crashes[i].number, &action, NULL);
        }
    }
}

void crash_forget(void) {
    for (size_t i = 0; i < CRASHES; i++) {
        if (is_ours(crashes[i].number)) {
            (void)signal(crashes[i].number, SIG_DFL);
        }
    }
}
