/* SPDX-License-Identifier: MIT */
/* Samples of threads (kymo/sample.h) under Linux: each sampled thread has a timer, which sends it a signal. Needs
 * KYMO_SAMPLE_HZ_MAX, and -fno-omit-frame-pointer for call stacks.
 *
 * The timer runs in real time, so a waiting thread is sampled where it waits. The signal interrupts blocking calls:
 * most continue (SA_RESTART); nanosleep(), poll() and similar calls return EINTR. */
#ifndef KYMO_POSIX_SAMPLE_H
#define KYMO_POSIX_SAMPLE_H

#include <signal.h>
#include <stdbool.h>

#include "kymo/sample.h"

/* The signal. kymo installs its handler for the whole process, and hands on signals that are not of its timers. A
 * library that samples can be unloaded: its samples end then. */
#define KYMO_POSIX_SAMPLE_SIGNAL SIGPROF

KYMO_C_BEGIN

#if KYMO_ENABLE
/* Samples the calling thread from now on until it ends, at the rate of kymo_sample_rate(). False: the thread has no
 * lane, or the system no timer; errno says why. The first call may measure the clock for 10 ms (kymo_arch.h). */
bool kymo_posix_sample_start(void) KYMO_NOEXCEPT;
/* Stops sampling the calling thread. */
void kymo_posix_sample_stop(void) KYMO_NOEXCEPT;
#else
#define kymo_posix_sample_start() kymo_off_sampled()
#define kymo_posix_sample_stop() KYMO_OFF_(0)
KYMO_INLINE_ bool kymo_off_sampled(void) { return false; }
#endif

KYMO_C_END

#endif
