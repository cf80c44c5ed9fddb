/* SPDX-License-Identifier: MIT */
/* Settings from the command line of a live capture: the options that 'capture' and 'run' share. */
#ifndef HOSTLINK_LIVE_SETTINGS_H
#define HOSTLINK_LIVE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/replay.h"
#include "cli/child.h"
#include "cli/cmd.h"
#include "cli/elf_names.h"
#include "cli/key.h"
#include "cli/live.h"
#include "cli/metrics.h"
#include "cli/setter.h"
#include "sink/output.h"
#include "tracy/live.h"

#define LIVE_BAUD_DEFAULT 115200u
#define LIVE_OPTION_COUNT 25

#define LIVE_SPEC_BAUD                                                                             \
    {                                                                                              \
        "baud", 'b', "N",                                                                          \
            "bit rate of a serial device, any number that its\n"                                   \
            "driver can do (default: 115200)"                                                      \
    }
#define LIVE_SPEC_RTSCTS                                                                           \
    { "rtscts", 0, NULL, "hardware flow control of a serial device" }
#define LIVE_SPEC_DTR                                                                              \
    {                                                                                              \
        "dtr", 0, "on|off|keep",                                                                   \
            "the DTR line of a serial device: off lets many boards run\n"                          \
            "on where opening the device would reset them (default:\n"                             \
            "keep, as the system sets it)"                                                         \
    }
#define LIVE_SPEC_RTS                                                                              \
    { "rts", 0, "on|off|keep", "the same of its RTS line" }
#define LIVE_SPEC_KEY                                                                              \
    {                                                                                              \
        "key", 0, "FILE",                                                                          \
            "the key of a board that obeys over a network, as 32 hex\n"                            \
            "digits; or $KYMO_KEY has it"                                                          \
    }
#define LIVE_SPEC_NO_COMMANDS                                                                      \
    {                                                                                              \
        "no-commands", 0, NULL,                                                                    \
            "send nothing to the board: no greeting, no\n"                                         \
            "request for names, no clock pings"                                                    \
    }

struct live_settings {
    const char *source, *symbolizer;
    const char *sources[REPLAY_BOARDS_MAX]; /* capture: the first is "source" */
    size_t source_count;
    struct elf_names elf;
    struct source_options line;
    struct outputs outputs;
    uint64_t duration_ns, idle_ns;
    struct setter setter;
    const char *key_path;
    struct key key;
    enum live_return wait;
    bool keep, no_commands, quiet;
    struct tracy_settings tracy;
    struct metrics metrics;
    struct child *child; /* the command of 'run', NULL = none */
};

/* Ends with a NULL name; the indices are live_settings_apply()'s. */
extern const struct option_spec live_option_table[];

/* For options_each(): takes one option or the source. */
int live_settings_apply(void *settings, const struct options *options, int option);
/* The same for a command with a table of its own: takes an option that has the name of one of these. Returns any
 * other unchanged. */
int live_settings_named(struct live_settings *settings, const struct options *options, int option);
/* Call after the last option: false, with a message and the exit code in "code", if they do not go together or a file
 * is wrong. */
bool live_settings_check(struct live_settings *settings, enum exit_code *code);

#endif
