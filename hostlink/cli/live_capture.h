/* SPDX-License-Identifier: MIT */
/* A live capture from its settings to its table: what 'capture' and 'run' do. */
#ifndef HOSTLINK_LIVE_CAPTURE_H
#define HOSTLINK_LIVE_CAPTURE_H

#include "cli/cmd.h"
#include "cli/live_settings.h"

enum exit_code live_capture(struct live_settings *settings);
/* The same of several boards, with the ELF files open: each has its own line, dialogue and pipeline; one capture file
 * and the viewers get all of them. */
enum exit_code live_boards(struct live_settings *settings);

#endif
