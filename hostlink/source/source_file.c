/* SPDX-License-Identifier: MIT */
/* A plain file, a named pipe, standard input. */
#include <errno.h>
#include <string.h>

#include "base/file_kind.h"
#include "platform/file.h"
#include "platform/terminal.h"
#include "source/source.h"

static int adopt(struct source *source, int fd) {
    struct sys_status status;
    const char *why = NULL;
    source->fd = fd;
    source->hangup_is_end = true;
    /* A file was written before; anything else may come from a board now. */
    source->live = sys_status(fd, &status) == 0 && status.type != SYS_REGULAR;
    int error = source->live ? 0 : file_kind_look(fd, &why);
    if (error == 0) {
        return 0;
    }
    source_close(source);
    return source_fail(source, error, "%s", why ? why : "is empty, nothing was captured");
}

static int file_open(struct source *source, const char *path,
                     const struct source_options *options) {
    (void)options;
    int fd = sys_open(path, SYS_READ);
    if (fd < 0) {
        int error = errno;
        return source_fail(source, -error, "%s", strerror(error));
    }
    return adopt(source, fd);
}

static int stdin_open(struct source *source, const char *rest,
                      const struct source_options *options) {
    (void)rest;
    (void)options;
    if (terminal_is(SYS_STDIN)) {
        return source_fail(source, -EINVAL,
                           "standard input is a keyboard: pipe something into hostlink");
    }
    return adopt(source, SYS_STDIN);
}

const struct source_kind source_file = {
    .spec = "",
    .form = "PATH",
    .help = "a file of recorded bytes, or a named pipe",
    .open = file_open,
};

const struct source_kind source_stdin = {
    .spec = "-",
    .form = "-",
    .help = "standard input",
    .open = stdin_open,
};
