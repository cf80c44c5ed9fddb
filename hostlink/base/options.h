/* SPDX-License-Identifier: MIT */
/* The options of a sub-command, one at a time, from a table that is also its help. */
#ifndef HOSTLINK_OPTIONS_H
#define HOSTLINK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A table ends with a NULL name. --help need not be in it. */
struct option_spec {
    const char *name;     /* without the dashes */
    char letter;          /* the short form, 0 = none */
    const char *argument; /* its name in the help, NULL = takes no argument */
    const char *help;     /* further lines after '\n' */
};

enum {
    OPTIONS_END = -1,
    OPTIONS_OPERAND = -2, /* "value" is it */
    OPTIONS_WRONG = -3,   /* reported on standard error */
    OPTIONS_HELP = -4
};

struct options {
    const char *command; /* "capture", for messages */
    const struct option_spec *specs;
    char **argv; /* the first is the first argument; ended by NULL */
    const char *value;
    const struct option_spec *current;
    bool operands_only; /* "--" was seen */
};

/* The index of the next option in the table, its argument in "value"; or one of OPTIONS_*. */
int options_next(struct options *options);

/* Calls "apply" for each, with the value of options_next(), until it returns a value other than 0, which is then the
 * result; 0 after the last one. "apply" returns values that it does not handle, for example OPTIONS_HELP,
 * unchanged. */
int options_each(struct options *options,
                 int (*apply)(void *settings, const struct options *options, int option),
                 void *settings);

/* The current value as a number; returns false, with a message, if it is not a number or out of range. */
bool options_unsigned(const struct options *options, uint32_t least, uint32_t most,
                      uint32_t *number);
bool options_seconds(const struct options *options, uint64_t *time_ns);

/* Reports a usage error of this command, and where the help is. Returns OPTIONS_WRONG. */
int options_wrong(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The table as help. */
void options_help(const struct option_spec *specs, FILE *out);

#endif
