/* SPDX-License-Identifier: MIT */
/* Several captures, each of a board, as one trace. */
#ifndef HOSTLINK_BOARDS_H
#define HOSTLINK_BOARDS_H

#include <stddef.h>

#include "cli/cmd.h"
#include "sink/output.h"

#define BOARDS_MAX 16u

/* Writes the outputs, which can be written. What is wrong, and how exact the clocks are, is said. */
enum exit_code boards_convert(const char *const *paths, size_t count, struct outputs *outputs,
                              bool quiet);

#endif
