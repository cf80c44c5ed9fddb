/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "platform/process.h"

pid_t process_show(const char *address) {
    const char *const argv[] = {"xdg-open", address, NULL};
    const bool has_screen = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") || getenv("BROWSER");
    return has_screen ? process_start(&(struct spawn){.argv = argv, .in_out_fd = -1, .apart = true})
                      : -ENOTSUP;
}
