/* A thread of the program that drains, for programs under POSIX: what is recorded reaches hostlink without another
 * line of code. It sends to whom the environment says:
 *
 *   KYMO_TRACE  ADDRESS:PORT or PORT: listens there, 127.0.0.1:6996 if it is not set; where that is in use on the
 *               next free one of 20. A path with a slash: appends to the file, pipe or device of that name. "off":
 *               records into the rings, and sends nothing
 *   KYMO_WAIT   1: the start waits until a host is connected, so that nothing is missed
 *
 * The thread takes no signals, and a lane only where it records, as of large things that wait for their turn. The
 * child of a fork() has none, and sends nothing. */
#ifndef KYMO_POSIX_BACKGROUND_H
#define KYMO_POSIX_BACKGROUND_H

#include "kymo/kymo.h"

KYMO_C_BEGIN

/* Calls kymo_init() with that name, which must stay as it is (NULL: the program's own), and starts the thread. Once
 * in a process, in any thread, not in a signal handler. 0, or a negative errno value: then nothing is sent. */
int kymo_posix_background_start(const char *image);

/* Waits until what was recorded so far is sent, while somebody takes it, 5 s at most after the last byte that was
 * taken. For a program that may end without its destructors, by _exit(). */
void kymo_posix_background_flush(void);

/* The same, then the end of the trace and of the thread; what is recorded later stays in the rings. The end of the
 * process does it by itself, after all destructors. Again, or without a start: nothing. */
void kymo_posix_background_finish(void);

/* The port that it listens on, 0 if none. */
int kymo_posix_background_port(void);

KYMO_C_END

#endif
