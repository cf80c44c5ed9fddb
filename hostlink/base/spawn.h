/* SPDX-License-Identifier: MIT */
/* Starts a program as a child. */
#ifndef HOSTLINK_SPAWN_H
#define HOSTLINK_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
    const char *const *argv; /* the program, looked for in PATH, and its arguments; ended by NULL */
    int in_out_fd;           /* becomes its standard input and output, -1 = it has ours */
    bool group;              /* it is a process group of its own, which Ctrl-C does not reach */
    bool apart;              /* likewise, and without standard error */
};

/* The child, which runs the program already; or -errno, when there is none. */
pid_t spawn_start(const struct spawn *spawn);

#endif
