/* SPDX-License-Identifier: MIT */
/* A terminal as a screen of lines, for a program that fills it: one at a time. The terminal is as it was before after
 * screen_close(), after a fatal signal and while the program is suspended; only SIGKILL leaves it. */
#ifndef HOSTLINK_SCREEN_H
#define HOSTLINK_SCREEN_H

#include <stdbool.h>

#define SCREEN_ROWS 200u
#define SCREEN_LINE_BYTES 1024u

enum screen_style { SCREEN_PLAIN, SCREEN_BOLD, SCREEN_REVERSE };

/* screen_key() returns these beside characters. */
enum {
    SCREEN_NO_KEY = 0,
    SCREEN_BACKSPACE = 0x7f,
    SCREEN_UP = 0x100,
    SCREEN_DOWN,
    SCREEN_PAGE_UP,
    SCREEN_PAGE_DOWN,
    SCREEN_ESCAPE,
    SCREEN_GONE /* the terminal has hung up */
};

/* Standard output must be a terminal. Keys come from standard input, or from the terminal of the process if standard
 * input is not a terminal. Returns NULL, or a text with the error and the fix. */
const char *screen_open(void);
void screen_close(void);
/* The descriptor to wait for keys. */
int screen_key_fd(void);
/* The next key, SCREEN_NO_KEY: no key. Never waits. */
int screen_key(void);
/* True once after the size has changed, or the program was suspended: draw all lines again. */
bool screen_changed(void);
unsigned screen_columns(void);
unsigned screen_rows(void);
/* True if the user's settings say that it takes UTF-8. */
bool screen_takes_utf8(void);
/* Sets a line, from 0; text beyond the width is cut. Text of the trace must be clean (utf8_clean). */
void screen_line(unsigned row, enum screen_style style, const char *text);
/* Writes the lines that changed; lines that were not set since the last time are empty. */
void screen_show(void);

#endif
