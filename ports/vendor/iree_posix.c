/* SPDX-License-Identifier: MIT */
/* How IREE's tracing provider (kymo/iree.h) starts and ends under POSIX, where the program knows nothing of it. A
 * program that defines these two itself gets no thread of kymo's. */
#include "kymo/iree.h"
#include "kymo_posix_sample.h"
#include "posix_background.h"

void kymo_iree_start(void) {
    (void)kymo_posix_background_start(NULL);
#if KYMO_SAMPLE_HZ_MAX
    kymo_sample_rate(KYMO_SAMPLE_HZ_MAX);
#endif
}

/* A thread that is not sampled, as where nothing is recorded, runs on. */
void kymo_iree_sample_thread(void) {
#if KYMO_SAMPLE_HZ_MAX
    (void)kymo_posix_sample_start();
#endif
}

/* More may be recorded: by destructors. */
void kymo_iree_finish(void) { kymo_posix_background_flush(); }
