/* SPDX-License-Identifier: MIT */
/* A live capture from its settings to its table: what 'capture' and 'run' do. */
#ifndef HOSTLINK_LIVE_CAPTURE_H
#define HOSTLINK_LIVE_CAPTURE_H

#include "cli/cmd.h"
#include "cli/live_settings.h"

enum exit_code live_capture(struct live_settings *settings);

/* Opens the file of the capture: EXIT_OK, or an error, which was reported. A source that is a file is its own
 * capture, unless another is named. */
enum exit_code live_capture_open(struct capture *capture, const struct live_settings *settings,
                                 bool source_is_live);
/* Call after the capture is closed, with its status: removes an empty file. */
void live_capture_remove_if_empty(const struct capture *capture, enum exit_code code);

#endif
