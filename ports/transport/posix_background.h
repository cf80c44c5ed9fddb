/* SPDX-License-Identifier: MIT */
/* A thread that drains, for programs under POSIX: events reach hostlink without further code. The environment selects
 * the receiver:
 *
 *   KYMO_TRACE  ADDRESS:PORT or PORT: listens there, on 127.0.0.1:6996 if not set; if the port is in use, on the next
 *               free one of 20. A path with a slash: appends to that file, pipe or device. "off": records nothing
 *   KYMO_WAIT   1: the start waits until a host is connected, so that the host receives all events
 *
 * The thread blocks all signals. It takes a lane only if it records, such as the large data that it sends. The child of
 * a fork() has no such thread and sends nothing. */
#ifndef KYMO_POSIX_BACKGROUND_H
#define KYMO_POSIX_BACKGROUND_H

#include "kymo/kymo.h"

KYMO_C_BEGIN

/* Calls kymo_init() with that name, which must stay valid (NULL: the program's own), and starts the thread. Call it
 * once in a process, in any thread, not in a signal handler. Returns 0, or a negative errno value: then nothing is
 * sent. */
int kymo_posix_background_start(const char *image);

/* Waits until the events recorded so far are sent, at most 5 s after the last byte that the receiver took. For a
 * program that ends without destructors, by _exit(). */
void kymo_posix_background_flush(void);

/* The same, and then ends the trace and the thread; later events stay in the rings. The end of the process calls it,
 * after all destructors. A second call, or one without a start, does nothing. */
void kymo_posix_background_finish(void);

/* The port that it listens on, 0 if none. */
int kymo_posix_background_port(void);

KYMO_C_END

#endif
