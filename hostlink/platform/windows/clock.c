/* SPDX-License-Identifier: MIT */
#include <windows.h>

#include "base/host_clock.h"

uint64_t host_monotonic_ns(void) {
    static LARGE_INTEGER rate;
    LARGE_INTEGER now;
    if (rate.QuadPart == 0) {
        (void)QueryPerformanceFrequency(&rate);
    }
    (void)QueryPerformanceCounter(&now);
    const uint64_t ticks = (uint64_t)now.QuadPart, hz = (uint64_t)rate.QuadPart;
    return ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
}

/* FILETIME counts 100 ns since 1601. */
uint64_t host_unix_ns(void) {
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    const uint64_t ticks = (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;
    return (ticks - UINT64_C(116444736000000000)) * 100;
}
