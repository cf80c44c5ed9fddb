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

/* Rows of a table of options; "live" is the place of the struct live_settings in the settings. */
#define LIVE_SPEC_BAUD(live)                                                                       \
    {                                                                                              \
        "baud", 'b', "N",                                                                          \
            "bit rate of a serial device, any number that its\n"                                   \
            "driver can do (default: 115200)",                                                     \
            live_option_baud, (live) + offsetof(struct live_settings, line.baud)                   \
    }
#define LIVE_SPEC_RTSCTS(live)                                                                     \
    {                                                                                              \
        "rtscts", 0, NULL, "hardware flow control of a serial device", option_flag,                \
            (live) + OPTION_IN(struct live_settings, bool, line.rtscts)                            \
    }
#define LIVE_SPEC_DTR(live)                                                                        \
    {                                                                                              \
        "dtr", 0, "on|off|keep",                                                                   \
            "the DTR line of a serial device: off lets many boards run\n"                          \
            "on where opening the device would reset them (default:\n"                             \
            "keep, as the system sets it)",                                                        \
            live_option_modem, (live) + offsetof(struct live_settings, line.dtr)                   \
    }
#define LIVE_SPEC_RTS(live)                                                                        \
    {                                                                                              \
        "rts", 0, "on|off|keep", "the same of its RTS line", live_option_modem,                    \
            (live) + offsetof(struct live_settings, line.rts)                                      \
    }
#define LIVE_SPEC_KEY(live)                                                                        \
    {                                                                                              \
        "key", 0, "FILE",                                                                          \
            "the key of a board that obeys over a network, as 32 hex\n"                            \
            "digits; or $KYMO_KEY has it",                                                         \
            option_text, (live) + OPTION_IN(struct live_settings, const char *, key_path)          \
    }
#define LIVE_SPEC_NO_COMMANDS(live)                                                                \
    {                                                                                              \
        "no-commands", 0, NULL,                                                                    \
            "send nothing to the board: no greeting, no\n"                                         \
            "request for names, no clock pings",                                                   \
            option_flag, (live) + OPTION_IN(struct live_settings, bool, no_commands)               \
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

/* For settings whose first member, or all, is a struct live_settings. */
extern const struct option_spec live_option_table[];

/* "take" of --baud, and of --dtr and --rts. */
int live_option_baud(void *baud, const struct options *options);
int live_option_modem(void *line, const struct options *options);
/* Call after the last option: false, with a message and the exit code in "code", if they do not go together or a file
 * is wrong. */
bool live_settings_check(struct live_settings *settings, enum exit_code *code);

#endif
