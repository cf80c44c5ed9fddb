/* SPDX-License-Identifier: MIT */
/* The options of a sub-command, one at a time, from a table that is also its help. */
#ifndef HOSTLINK_OPTIONS_H
#define HOSTLINK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct options;

/* Takes the current value. 0, or OPTIONS_WRONG. */
typedef int option_take(void *member, const struct options *options);

/* A table ends with a NULL name; that row's "take" gets operands. --help need not be in it. */
struct option_spec {
    const char *name;     /* without the dashes */
    char letter;          /* the short form, 0 = none */
    const char *argument; /* its name in the help, NULL = takes no argument */
    const char *help;     /* further lines after '\n' */
    option_take *take;
    size_t at; /* of the member of the settings that "take" gets */
};

/* The place of a member, which must have that type. */
#define OPTION_IN(settings, type, member)                                                          \
    (offsetof(settings, member) + 0 * sizeof(_Generic(((settings *)0)->member, type : 0)))
/* For rows of a command's table, whose settings are its struct settings. */
#define OPTION_AT(member) offsetof(struct settings, member)
#define OPTION_FLAG(member) option_flag, OPTION_IN(struct settings, bool, member)
#define OPTION_TEXT(member) option_text, OPTION_IN(struct settings, const char *, member)
#define OPTION_SECONDS(member) option_seconds, OPTION_IN(struct settings, uint64_t, member)
#define OPTION_COUNT(member) option_count, OPTION_IN(struct settings, uint32_t, member)

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

/* Each row's "take" gets its options. 0, or the first OPTIONS_WRONG or OPTIONS_HELP. */
int options_each(struct options *options, void *settings);

/* "take" of an option with nothing to check: bool, const char *, ns from seconds, a number above 0. */
int option_flag(void *flag, const struct options *options);
int option_text(void *text, const struct options *options);
int option_seconds(void *time_ns, const struct options *options);
int option_count(void *number, const struct options *options);

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
