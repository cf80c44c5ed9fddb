/* SPDX-License-Identifier: MIT */
/* Settings of Tracy's users, from compiler definitions and the environment, with Tracy's names and
 * meanings. */
#ifndef KYMO_CLIENT_SETTINGS_H
#define KYMO_CLIENT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most bytes of the trace that wait for a viewer; events beyond are counted and shown as lost. */
#ifndef KYMO_CLIENT_BACKLOG_BYTES
#define KYMO_CLIENT_BACKLOG_BYTES 134217728
#endif

struct client_settings {
    uint16_t port;       /* TRACY_PORT; 0 = the first free one from 8086 on */
    bool no_exit;        /* TRACY_NO_EXIT: the program's end waits for a viewer */
    bool only_localhost; /* TRACY_ONLY_LOCALHOST */
    bool only_ipv4;      /* TRACY_ONLY_IPV4 */
    bool announce;       /* unless TRACY_NO_BROADCAST */
    bool on_demand;      /* TRACY_ON_DEMAND: nothing is recorded while no viewer is there */
    bool verbose;        /* TRACY_VERBOSE: reports viewers on standard error */
    size_t backlog_bytes;
    char address[64];
    char program[64];
    char symbolizer
        [256]; /* KYMO_SYMBOLIZER: the program that knows lines; "none"; empty: the first that is there */
};

void client_settings_read(struct client_settings *settings);

#endif
