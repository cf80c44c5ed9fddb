/* SPDX-License-Identifier: MIT */
/* The Tracy server as the commands use it: its options, and as a viewer of a live capture. */
#ifndef HOSTLINK_TRACY_LIVE_H
#define HOSTLINK_TRACY_LIVE_H

#include "base/options.h"
#include "model/viewer.h"
#include "tracy/server.h"

struct tracy_settings {
    bool off;            /* --no-tracy */
    bool asked;          /* --tracy was given: not to be able to listen is an error */
    bool wait;           /* --wait: nothing begins before a viewer has connected */
    uint64_t timeout_ns; /* --timeout of --wait, 0 = for ever */
    bool announce;       /* --tracy-announce */
    uint32_t protocol;   /* to be announced, 0 = by the viewers that come */
    uint16_t machine;    /* e_machine of the program's ELF file, 0 = no file */
    const char *program; /* shown until the board's name is known; NULL = "kymo" */
    char address[64];
    uint16_t port; /* 0 = the first free of the default ones */
    struct tracy_source_folders sources;
};

/* Rows for the option tables of commands. */
#define TRACY_SPEC_WHERE(tracy)                                                                    \
    {                                                                                              \
        "tracy", 0, "WHERE",                                                                       \
            "[ADDR:]PORT where Tracy viewers connect, ADDR a name,\n"                              \
            "an address or * for all interfaces (default:\n"                                       \
            "127.0.0.1, the first free port from 8086 to 8105)",                                   \
            tracy_settings_where, tracy                                                            \
    }
#define TRACY_SPEC_SOURCE(tracy)                                                                   \
    {                                                                                              \
        "source", 0, "DIR",                                                                        \
            "where a Tracy viewer finds the source files of the\n"                                 \
            "board's program; repeats",                                                            \
            tracy_settings_source, tracy                                                           \
    }
#define TRACY_SPEC_ANNOUNCE(tracy)                                                                 \
    {                                                                                              \
        "tracy-announce", 0, NULL,                                                                 \
            "announce it to the network by UDP, so that\n"                                         \
            "a viewer lists the board",                                                            \
            option_flag, (tracy) + OPTION_IN(struct tracy_settings, bool, announce)                \
    }
#define TRACY_SPEC_RELEASE(tracy)                                                                  \
    {                                                                                              \
        "tracy-release", 0, "REL",                                                                 \
            "the viewers that the broadcast is for, as 0.11.1;\n"                                  \
            "others list the board, but do not offer it (default:\n"                               \
            "as the last that connected, at first 0.14)",                                          \
            tracy_settings_release, tracy                                                          \
    }

#define TRACY_SPEC_TIMEOUT(tracy)                                                                  \
    {                                                                                              \
        "timeout", 0, "S", "give up when no Tracy viewer has come for S seconds", option_seconds,  \
            (tracy) + OPTION_IN(struct tracy_settings, uint64_t, timeout_ns)                       \
    }
#define TRACY_NO_VIEWER "no viewer has come: is it set to this address?"

/* Takes the current option's value. Returns 0, or reports an error and returns OPTIONS_WRONG. */
int tracy_settings_where(void *settings, const struct options *options);
int tracy_settings_release(void *settings, const struct options *options);
int tracy_settings_source(void *settings, const struct options *options);
/* To the server's; strings stay in "settings". */
void tracy_settings_apply(const struct tracy_settings *settings,
                          struct tracy_server_options *options);

/* Waits for a viewer, for the timeout at most (0 = for ever). 0, -ETIMEDOUT, or -EINTR when stopped. */
int tracy_live_wait(struct tracy_server *server, uint64_t timeout_ns);

struct tracy_live {
    struct tracy_server *server; /* NULL = none */
    struct viewer viewer;
};

/* Listens, and waits for a viewer with --wait. Returns 0, or reports an error and returns -errno; -EINTR when stopped.
 * Without --tracy a failure to listen is only reported. */
int tracy_live_open(struct tracy_live *live, const struct tracy_settings *settings);
/* After the last event: lets the viewer read the rest, for a moment. Reports the viewer's totals. */
void tracy_live_close(struct tracy_live *live);

#endif
