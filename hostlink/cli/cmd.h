/* SPDX-License-Identifier: MIT */
/* The sub-commands of hostlink: each is one file cmd_NAME.c and one line of COMMANDS() below. */
#ifndef HOSTLINK_CMD_H
#define HOSTLINK_CMD_H

#include "base/options.h"

/* Exit codes that a script can rely on. If more than one applies: usage and source first, they come
 * before anything is done; then output, cut, no data, command. */
enum exit_code {
    EXIT_OK = 0,
    EXIT_OUTPUT = 1,  /* an output could not be written, or memory was short */
    EXIT_USAGE = 2,   /* usage error: unknown option, missing argument */
    EXIT_SOURCE = 3,  /* the source or the input file could not be opened */
    EXIT_NO_DATA = 4, /* not one valid packet came */
    EXIT_CUT = 5,     /* the source failed during the capture; what came before is kept */
    EXIT_COMMAND = 6, /* a parameter was to be set, and the command did not arrive */
    EXIT_OVER = 7,    /* a limit was exceeded */
    EXIT_UNWELL = 8   /* doctor: packets come, and something is wrong */
};

struct cmd {
    const char *name;
    const char *usage;   /* the text after the name: "IN.kymo -o OUT [-o OUT ...]" */
    const char *summary; /* one line for the list of commands */
    const char *text;    /* paragraphs for its own help; may be NULL */
    void (*help)(void);  /* prints the rest of it; may be NULL */
    const struct option_spec *options;
    size_t settings_size;
    const void *defaults; /* of the settings; NULL: all zero */
    const char *needs;    /* the operand that must be given, for a message; NULL: none */
    size_t operand;       /* its const char * in the settings */
    /* Both may be NULL: before the options are read, with the arguments; and after. 0 or OPTIONS_WRONG. */
    void (*prepare)(void *settings, char **argv);
    int (*check)(void *settings, const struct options *options);
    enum exit_code (*run)(void *settings);
};

/* "argv": the arguments after the command's name, ended by NULL. */
enum exit_code cmd_start(const struct cmd *cmd, char **argv);

/* Each sub-command, in the order of the help: cmd_NAME, in the file cmd_NAME.c. A SOURCE alone
 * means the first one. The build, the completion and the manual's pages take their list from
 * here. */
/* clang-format off */
#define COMMANDS(COMMAND) \
    COMMAND(capture) \
    COMMAND(run) \
    COMMAND(list) \
    COMMAND(top) \
    COMMAND(doctor) \
    COMMAND(convert) \
    COMMAND(stats) \
    COMMAND(report) \
    COMMAND(open) \
    COMMAND(info) \
    COMMAND(serve) \
    COMMAND(dump) \
    COMMAND(symbols) \
    COMMAND(lines) \
    COMMAND(check) \
    COMMAND(compare) \
    COMMAND(import) \
    COMMAND(merge)
/* clang-format on */

#define COMMAND_DECLARED(name) extern const struct cmd cmd_##name;
COMMANDS(COMMAND_DECLARED)
#undef COMMAND_DECLARED

#endif
