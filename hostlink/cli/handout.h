/* SPDX-License-Identifier: MIT */
/* A server on this machine alone that hands files to a browser: one trace to Perfetto's page, and that page itself if
 * a folder with it is given. All other requests, and other pages, are refused. */
#ifndef HOSTLINK_HANDOUT_H
#define HOSTLINK_HANDOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HANDOUT_NAME_BYTES 128u

struct handout {
    const char *trace;             /* the file */
    char name[HANDOUT_NAME_BYTES]; /* its name: letters, digits, '.', '-' and '_' */
    const char *origin;            /* of the page that may have it; NULL: this server's own */
    const char *folder;            /* of the page, "" or NULL: none */
    uint16_t port;                 /* 127.0.0.1 */
};

/* The name under which a file is handed out: the last part of "path" without its suffix, then "suffix". */
void handout_name(struct handout *handout, const char *path, const char *suffix);
/* A listening socket on the first free of "ports" ports from handout->port on; or -errno. */
int handout_listen(struct handout *handout, unsigned ports);
/* Serves until the trace has been handed out, or, with a folder, until a signal. 1: the trace was handed out; 0: a
 * signal came before; -errno. */
int handout_serve(const struct handout *handout, int listener);

#endif
