/* SPDX-License-Identifier: MIT */
/* The terminal that a person sits at. */
#ifndef HOSTLINK_PLATFORM_TERMINAL_H
#define HOSTLINK_PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

bool terminal_is(int fd);
/* It takes the control sequences of ECMA-48. */
bool terminal_takes_sequences(int fd);
/* False: not known. */
bool terminal_size(int fd, unsigned *columns, unsigned *rows);
/* The user's settings say that it takes UTF-8. */
bool terminal_takes_utf8(void);

/* Keys one by one and without echo, from standard input or else the terminal of the process, until
 * terminal_release_keys(). "leave" is called before a fatal signal ends the program: it may only call sys_write(). The
 * descriptor to wait for, or -1: no terminal. One at a time. */
int terminal_take_keys(void (*leave)(void));
void terminal_release_keys(void);
/* Bytes of keys, 0 = no key, -1 = the terminal is gone. Never waits. */
ssize_t terminal_read_keys(char *bytes, size_t size);
/* The user has asked for it: suspend the program now by terminal_suspend(), which returns when it goes on. */
bool terminal_wants_suspend(void);
void terminal_suspend(void);

#endif
