/* SPDX-License-Identifier: MIT */
#include "kymo_arch.h"

#include <stdio.h>
#include <stdlib.h>

struct fake_arch fake = {.clock_step = 1u, .clock_hz = 1000000u};

void fake_reset(void) { fake = (struct fake_arch){.clock_step = 1u, .clock_hz = 1000000u}; }

void fake_interrupt(void) {
    if (fake.masked) {
        fake.pending = true;
        fake.deferred++;
        return;
    }
    fake.interrupt();
}

void fake_broken(const char *what) {
    (void)fprintf(stderr, "the runtime broke the contract of the arch port: %s\n", what);
    abort();
}
