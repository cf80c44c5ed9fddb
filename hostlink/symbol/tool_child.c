/* SPDX-License-Identifier: MIT */
#include "platform/process.h"
#include "symbol/tool.h"

static pid_t start(const char *const *argv, int fd, int life) {
    (void)life;
    const struct spawn spawn = {.argv = argv, .in_out_fd = fd, .apart = true};
    return process_start(&spawn);
}

const struct tool_host tool_child = {.start = start};
