/* Samples of threads (kymo/sample.h) under Linux: each thread that wants them has a timer and gets a signal. Needs
 * KYMO_SAMPLE_HZ_MAX, and -fno-omit-frame-pointer for stacks of more than the instruction.
 *
 * The timer runs in real time, so that a thread that waits is sampled where it waits. Calls that wait are interrupted
 * as by any signal: most go on (SA_RESTART), nanosleep(), poll() and the like return EINTR. */
#ifndef KYMO_POSIX_SAMPLE_H
#define KYMO_POSIX_SAMPLE_H

#include <signal.h>
#include <stdbool.h>

#include "kymo/sample.h"

/* The signal that is used; its handler is the program's from then on. */
#ifndef KYMO_POSIX_SAMPLE_SIGNAL
#define KYMO_POSIX_SAMPLE_SIGNAL SIGPROF
#endif

KYMO_C_BEGIN

#if KYMO_ENABLE
/* The calling thread is sampled from now on until it ends, at the rate of kymo_sample_rate(). False: the thread has no
 * lane, or the system no timer; errno says why. May measure the clock for 10 ms the first time (kymo_arch.h). */
bool kymo_posix_sample_start(void) KYMO_NOEXCEPT;
/* The calling thread is not sampled any more. */
void kymo_posix_sample_stop(void) KYMO_NOEXCEPT;
#else
#define kymo_posix_sample_start() kymo_off_sampled()
#define kymo_posix_sample_stop() KYMO_OFF_(0)
KYMO_INLINE_ bool kymo_off_sampled(void) { return false; }
#endif

KYMO_C_END

#endif
