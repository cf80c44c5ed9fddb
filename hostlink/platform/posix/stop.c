/* SPDX-License-Identifier: MIT */
#include "base/stop.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
#define SIGNALS (sizeof signals / sizeof signals[0])

static volatile sig_atomic_t wanted;

static void note(int number) { wanted = number; }

/* Replaces the handler "from"; leaves other settings alone, such as the SIG_IGN of nohup. */
static void replace(void (*from)(int), void (*to)(int)) {
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == from) {
            action = (struct sigaction){.sa_handler = to, .sa_flags = SA_RESTART};
            sigemptyset(&action.sa_mask);
            sigaction(signals[i], &action, NULL);
        }
    }
}

void stop_catch(void) { replace(SIG_DFL, note); }

void stop_release(void) { replace(note, SIG_DFL); }

bool stop_wanted(void) { return wanted != 0; }

void stop_forget(void) { wanted = 0; }

void stop_end(void) {
    const int number = wanted;
    stop_release();
    (void)raise(number);
    exit(128 + number);
}

void stop_ignore_write_signals(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}
