/* SPDX-License-Identifier: MIT */
/* A pseudo-terminal that hostlink makes and something else writes into. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/say.h"
#include "source/source.h"

static int make(int *fd_out, char *name, size_t name_size) {
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

static int pty_open(struct source *source, const char *link, const struct source_options *options) {
    char name[128];
    (void)options;
    int error = make(&source->fd, name, sizeof name);
    if (error) {
        return source_fail(source, error, "cannot make a pseudo-terminal: %s", strerror(-error));
    }
    if (link[0] != '\0') {
        if (strlen(link) >= sizeof source->unlink_path || symlink(name, link) != 0) {
            error = errno ? -errno : -ENAMETOOLONG;
            source_close(source);
            return source_fail(source, error, "cannot make the link: %s", strerror(-error));
        }
        strcpy(source->unlink_path, link);
    }
    source->two_way = true;
    source->live = true;
    source->hangup_is_end = true;
    say("waiting for a writer on %s", link[0] != '\0' ? link : name);
    return 0;
}

const struct source_kind source_pty = {
    .spec = "pty",
    .form = "pty",
    .help = "makes a pseudo-terminal, says its name, reads what is written to it",
    .open = pty_open,
};

const struct source_kind source_pty_link = {
    .spec = "pty:",
    .form = "pty:PATH",
    .help = "the same, with a symbolic link to it",
    .open = pty_open,
};
