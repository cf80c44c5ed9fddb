/* SPDX-License-Identifier: MIT */
#include "platform/pseudo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Raw from the start: a writer that sets nothing up must not have its bytes changed. Settings are those of the other
 * side, and its last close would undo them: hostlink keeps it open until it ends. */
static bool set_raw(const char *name) {
    struct termios settings;
    const int held = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (held < 0 || tcgetattr(held, &settings) != 0) {
        return false;
    }
    cfmakeraw(&settings);
    return tcsetattr(held, TCSANOW, &settings) == 0;
}

int pseudo_terminal_make(int *fd_out, char *name, size_t name_size) {
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd < 0) {
        return -errno;
    }
    const char *other = grantpt(fd) == 0 && unlockpt(fd) == 0 ? ptsname(fd) : NULL;
    if (!other || strlen(other) >= name_size || !set_raw(other) ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        const int error = errno != 0 ? -errno : -ENOTTY;
        (void)close(fd);
        return error;
    }
    strcpy(name, other);
    *fd_out = fd;
    return 0;
}

int pseudo_terminal_link(const char *name, const char *link) { return symlink(name, link); }
