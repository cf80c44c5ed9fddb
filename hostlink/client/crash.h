/* SPDX-License-Identifier: MIT */
/* Crashes of the program: a connected viewer gets the recorded events before the signal takes its usual effect. */
#ifndef KYMO_CLIENT_CRASH_H
#define KYMO_CLIENT_CRASH_H

/* In the handler, on the thread that crashed. */
typedef void crash_rescue(void);

/* Handles the signals of crashes that have no handler, until crash_forget(). */
void crash_watch(crash_rescue *rescue);
void crash_forget(void);

#endif
