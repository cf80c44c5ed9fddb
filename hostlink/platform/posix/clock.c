/* SPDX-License-Identifier: MIT */
#include "base/host_clock.h"

#include <time.h>

static uint64_t read_clock_ns(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t host_monotonic_ns(void) { return read_clock_ns(CLOCK_MONOTONIC); }

uint64_t host_unix_ns(void) { return read_clock_ns(CLOCK_REALTIME); }
