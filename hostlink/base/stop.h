/* SPDX-License-Identifier: MIT */
/* Ctrl-C, SIGTERM and SIGHUP as a wish to end, so that outputs can be completed. */
#ifndef HOSTLINK_STOP_H
#define HOSTLINK_STOP_H

#include <stdbool.h>

/* From here on the signals are only noted; a waiting poll() returns with EINTR. */
void stop_catch(void);
/* From here on they end the program again: a second Ctrl-C does not wait for outputs. */
void stop_release(void);
bool stop_wanted(void);
/* Forgets a noted signal. */
void stop_forget(void);
/* Ends the program as the noted signal would have. */
_Noreturn void stop_end(void);
/* Writing to a closed pipe or socket, or beyond the limit of a file's size, becomes an error that can be reported. */
void stop_ignore_write_signals(void);

#endif
