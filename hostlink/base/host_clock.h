/* SPDX-License-Identifier: MIT */
/* This machine's clocks, in nanoseconds. */
#ifndef HOSTLINK_HOST_CLOCK_H
#define HOSTLINK_HOST_CLOCK_H

#include <stdint.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

/* Never set back; starts anywhere. */
uint64_t host_monotonic_ns(void);
/* Time since 1970-01-01 00:00:00 UTC. */
uint64_t host_unix_ns(void);

#endif
