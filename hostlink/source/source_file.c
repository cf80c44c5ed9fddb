/* SPDX-License-Identifier: MIT */
/* A plain file, a named pipe, standard input. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "source/source.h"

static int adopt(struct source *source, int fd) {
    struct stat status;
    const char *why = NULL;
    source->fd = fd;
    source->hangup_is_end = true;
    /* A file was written before; anything else may come from a board now. */
    source->live = fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
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
    int fd = open(path, O_RDONLY | O_CLOEXEC);
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
    if (isatty(STDIN_FILENO)) {
        return source_fail(source, -EINVAL,
                           "standard input is a keyboard: pipe something into hostlink");
    }
    return adopt(source, STDIN_FILENO);
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
