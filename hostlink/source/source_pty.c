/* SPDX-License-Identifier: MIT */
/* A pseudo-terminal that hostlink makes and something else writes into. */
#include <errno.h>
#include <string.h>

#include "base/say.h"
#include "platform/pseudo.h"
#include "source/source.h"

static int pty_open(struct source *source, const char *link, const struct source_options *options) {
    char name[128];
    (void)options;
    int error = pseudo_terminal_make(&source->fd, name, sizeof name);
    if (error) {
        return source_fail(source, error, "cannot make a pseudo-terminal: %s", strerror(-error));
    }
    if (link[0] != '\0') {
        if (strlen(link) >= sizeof source->unlink_path || pseudo_terminal_link(name, link) != 0) {
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
    .help = "makes a pseudo-terminal, prints its name, reads what is written to it",
    .open = pty_open,
};

const struct source_kind source_pty_link = {
    .spec = "pty:",
    .form = "pty:PATH",
    .help = "the same, with a symbolic link to it",
    .open = pty_open,
};
