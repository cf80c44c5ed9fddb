/* SPDX-License-Identifier: MIT */
/* A live capture of several boards: each has its own line, dialogue and pipeline; one capture file and the viewers get
 * all of them. */
#ifndef HOSTLINK_LIVE_BOARDS_H
#define HOSTLINK_LIVE_BOARDS_H

#include "cli/cmd.h"
#include "cli/live_settings.h"

/* Call with the ELF files open. */
enum exit_code live_boards(struct live_settings *settings);

#endif
