/* SPDX-License-Identifier: MIT */
#include "platform/process.h"

#include <stddef.h>

pid_t process_show(const char *address) {
    const char *const argv[] = {"open", address, NULL};
    return process_start(&(struct spawn){.argv = argv, .in_out_fd = -1, .apart = true});
}
