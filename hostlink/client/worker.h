/* SPDX-License-Identifier: MIT */
/* One thread of the program does the work of hostlink: it drains the recorder, keeps what no viewer has read yet, and
 * serves Tracy's viewers. */
#ifndef KYMO_CLIENT_WORKER_H
#define KYMO_CLIENT_WORKER_H

#include <stdbool.h>

#include "client/settings.h"

struct worker;

/* What the thread needs; it listens already, if it can. NULL: no memory. */
struct worker *worker_new(const struct client_settings *settings);
/* From any thread: run() comes to its end. */
void worker_end(struct worker *worker);
/* In a handler of a signal too: a viewer is there; run() has come to its end. */
bool worker_is_watched(const struct worker *worker);
bool worker_is_over(const struct worker *worker);
/* Until the end: then a viewer that is there gets the rest, and with TRACY_NO_EXIT one is waited for. */
void worker_run(struct worker *worker);
void worker_free(struct worker *worker);
/* In the child of a fork(), which has no such thread: closes what it has of the parent's connections. */
void worker_abandon(struct worker *worker);

#endif
