/* SPDX-License-Identifier: MIT */
/* The list of sources, and how a name finds its own. */
#include <errno.h>
#include <string.h>

#include "platform/file.h"
#include "source/source.h"

extern const struct source_kind source_tcp, source_unix, source_pty, source_pty_link, source_stdin;
extern const struct source_kind source_serial, source_file;

/* The one list; the last two open paths, which have no prefix. */
static const struct source_kind *const kinds[] = {&source_tcp,      &source_unix,  &source_pty,
                                                  &source_pty_link, &source_stdin, NULL};

/* The text after the prefix if "name" is of this kind, else NULL. */
static const char *matches(const struct source_kind *kind, const char *name) {
    size_t length = strlen(kind->spec);
    if (strncmp(name, kind->spec, length) != 0) {
        return NULL;
    }
    bool prefix = kind->spec[length - 1] == ':';
    return prefix || name[length] == '\0' ? name + length : NULL;
}

static int open_path(struct source *source, const char *path,
                     const struct source_options *options) {
    struct sys_status status;
    if (sys_status_of(path, &status) != 0) {
        return source_serial.open(source, path, options);
    }
    if (status.type == SYS_FOLDER) {
        return source_fail(source, -EISDIR, "is a folder: name a device or a file");
    }
    if (status.type == SYS_SOCKET) {
        return source_fail(source, -ENOTSOCK, "is a socket: write unix:%s", path);
    }
    if (status.type == SYS_CHARACTERS) {
        int error = source_serial.open(source, path, options);
        if (error != -ENOTTY) {
            return error;
        }
    }
    return source_file.open(source, path, options);
}

int source_open(struct source *source, const char *name, const struct source_options *options) {
    memset(source, 0, sizeof *source);
    source->fd = -1;
    source->name = name;
    source->options = *options;
    for (size_t i = 0; kinds[i]; i++) {
        const char *rest = matches(kinds[i], name);
        if (rest) {
            return kinds[i]->open(source, rest, options);
        }
    }
    return open_path(source, name, options);
}

int source_reopen(struct source *source) {
    struct source again;
    struct port port;
    struct source_options quick = source->options;
    const char *name = source->name;
    if (source->returns == SOURCE_RETURNS) {
        if (!port_again(&port, &source->port)) {
            return -ENODEV;
        }
        name = port.path;
    }
    quick.attempt = &source->attempt;
    int error = source_open(&again, name, &quick);
    if (error) {
        memcpy(source->why, again.why, sizeof source->why);
        return error;
    }
    again.name = source->name;
    again.options = source->options;
    *source = again;
    return 0;
}

void source_help(FILE *out) {
    fprintf(out, "  %-20s%s\n", source_serial.form, source_serial.help);
    for (size_t i = 0; kinds[i]; i++) {
        fprintf(out, "  %-20s%s\n", kinds[i]->form, kinds[i]->help);
    }
    fprintf(out, "  %-20s%s\n", source_file.form, source_file.help);
}
