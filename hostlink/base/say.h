/* SPDX-License-Identifier: MIT */
/* Messages of hostlink to its user: lines on standard error, and one status line that is redrawn in
 * place when standard error is a terminal. */
#ifndef HOSTLINK_SAY_H
#define HOSTLINK_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One line "hostlink: ...", the line end is added. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on each line names this one of several; NULL: no more. The name must stay. */
void say_about(const char *name);

/* From now on "take" gets the lines in place of standard error, without the program's name and
 * the line end; NULL: again as before. */
void say_to(void (*take)(void *context, const char *line), void *context);

/* The message of every command that is out of memory. */
#define SAY_NO_MEMORY "not enough memory: write fewer outputs at once, or read a shorter capture"

/* Replaces the status line; "" takes it away. Does nothing unless say_has_terminal(). */
void say_status(const char *line);
bool say_has_terminal(void);

/* A line that the board printed, to "out" as "board: ...": what could steer a terminal is shown as '?'. */
void say_board(FILE *out, const char *text, size_t length);

#endif
