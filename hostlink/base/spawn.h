/* Starts a program as a child. */
#ifndef HOSTLINK_SPAWN_H
#define HOSTLINK_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
    const char *const *argv; /* the program, looked for in PATH, and its arguments; ended by NULL */
    int in_out_fd;           /* becomes its standard input and output, -1 = it has ours */
    bool
        apart; /* out of the terminal's reach, so that Ctrl-C does not end it, and without standard error */
};

/* The child, which runs the program already; or -errno, when there is none. */
pid_t spawn_start(const struct spawn *spawn);

#endif
