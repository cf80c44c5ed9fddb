/* SPDX-License-Identifier: MIT */
#include "platform/pseudo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

int pseudo_terminal_make(int *fd_out, char *name, size_t name_size) {
    struct termios settings;
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    int flags = fcntl(fd, F_GETFL);
    /* Raw from the start: a writer that sets nothing up must not have its bytes changed. */
    if (grantpt(fd) != 0 || unlockpt(fd) != 0 || tcgetattr(fd, &settings) != 0 || flags < 0 ||
        fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    cfmakeraw(&settings);
    const char *slave = ptsname(fd);
    if (tcsetattr(fd, TCSANOW, &settings) != 0 || !slave || strlen(slave) >= name_size) {
        close(fd);
        return -ENOTTY;
    }
    strcpy(name, slave);
    *fd_out = fd;
    return 0;
}

int pseudo_terminal_link(const char *name, const char *link) { return symlink(name, link); }
