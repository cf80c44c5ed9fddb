/* The host inside the program: one thread that drains the recorder, keeps what nobody reads yet, and serves Tracy's
 * viewers. All calls but the first two and the last two are the thread's. */
#ifndef KYMO_CLIENT_WORKER_H
#define KYMO_CLIENT_WORKER_H

#include <stdbool.h>

#include "client/settings.h"

struct worker;

/* What the thread needs; it listens already, if it can. NULL: no memory. */
struct worker *worker_new(const struct client_settings *settings);
/* From any thread: run() comes to its end. */
void worker_end(struct worker *worker);
/* Until the end: then a viewer that is there gets the rest, and with TRACY_NO_EXIT one is waited for. */
void worker_run(struct worker *worker);
void worker_free(struct worker *worker);
/* In the child of a fork(), which has no such thread: closes what it has of the parent's connections. */
void worker_abandon(const struct worker *worker);

#endif
