/* SPDX-License-Identifier: MIT */
/* The source of a live capture, which the command of 'run' may be making just now. */
#ifndef HOSTLINK_AWAIT_SOURCE_H
#define HOSTLINK_AWAIT_SOURCE_H

#include "cli/cmd.h"
#include "cli/live_settings.h"

/* Starts the command, if there is one, and opens the source: settings->source, or the only board found, which is then
 * noted in settings->source. Reports errors. EXIT_COMMAND: the command failed before it was open. */
enum exit_code await_source(struct source *source, struct live_settings *settings);

#endif
