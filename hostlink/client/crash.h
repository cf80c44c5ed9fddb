/* SPDX-License-Identifier: MIT */
/* A program that crashes: what it has recorded goes to the viewer that is there, before the signal does what it did. */
#ifndef KYMO_CLIENT_CRASH_H
#define KYMO_CLIENT_CRASH_H

#include <stdbool.h>

/* In the handler, on the thread that crashed. */
typedef void crash_rescue(void);

/* Takes those signals of crashes that nobody handles, until crash_forget(). */
void crash_watch(crash_rescue *rescue);
void crash_forget(void);

#endif
