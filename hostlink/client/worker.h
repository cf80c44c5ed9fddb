/* SPDX-License-Identifier: MIT */
/* One thread of the program does the work of hostlink: it drains the recorder, keeps what no viewer has read yet, and
 * serves Tracy's viewers. */
#ifndef KYMO_CLIENT_WORKER_H
#define KYMO_CLIENT_WORKER_H

#include <stdbool.h>

#include "client/settings.h"

struct worker;

/* Makes the thread's state and listens if possible. Returns NULL if memory is short. */
struct worker *worker_new(const struct client_settings *settings);
/* Ends worker_run(); any thread may call it. */
void worker_end(struct worker *worker);
/* True while a viewer is connected; true after worker_run() has ended. Signal handlers may call both. */
bool worker_is_watched(const struct worker *worker);
bool worker_is_over(const struct worker *worker);
/* Runs until worker_end(); then a connected viewer gets the rest, and with TRACY_NO_EXIT it waits for a viewer. */
void worker_run(struct worker *worker);
void worker_free(struct worker *worker);
/* For the child of a fork(), which has no such thread: closes its copies of the parent's connections. */
void worker_abandon(struct worker *worker);

#endif
