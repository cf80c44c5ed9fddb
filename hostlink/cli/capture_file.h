/* SPDX-License-Identifier: MIT */
/* The file of a live capture: its name, and that none is left empty. */
#ifndef HOSTLINK_CAPTURE_FILE_H
#define HOSTLINK_CAPTURE_FILE_H

#include "capture/capture.h"
#include "cli/cmd.h"
#include "cli/live_settings.h"

/* Opens the file of the capture: EXIT_OK, or an error, which was reported. A source that is a file is its own
 * capture, unless another is named. */
enum exit_code capture_file_open(struct capture *capture, const struct live_settings *settings,
                                 bool source_is_live);
/* Call after the capture is closed, with its status: removes an empty file. */
void capture_file_remove_if_empty(const struct capture *capture, enum exit_code code);

#endif
