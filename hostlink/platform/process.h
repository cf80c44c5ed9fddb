/* SPDX-License-Identifier: MIT */
/* Child processes. */
#ifndef HOSTLINK_PLATFORM_PROCESS_H
#define HOSTLINK_PLATFORM_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
    const char *const *argv; /* the program, looked for in PATH, and its arguments; ended by NULL */
    int in_out_fd;           /* becomes its standard input and output, -1 = it has ours */
    bool group;              /* it leads a group of its own, which Ctrl-C does not reach */
    bool apart;              /* the same, and without standard error */
};

/* The child, which runs the program already; or -errno, when there is no child. */
pid_t process_start(const struct spawn *spawn);

#define PROCESS_RUNS (-1)
#define PROCESS_UNKNOWN (-2)
/* PROCESS_RUNS, or its status in a shell: the exit status, 128 + N for signal N; PROCESS_UNKNOWN: it has ended, and
 * its status is lost. Call it until it has ended. */
int process_status(pid_t pid);
/* Asks it to end, or ends it at once; with "group", also all processes that it has started. */
void process_end(pid_t pid, bool group, bool at_once);
/* Ends it at once, with its group if it leads one, and waits for that. */
void process_kill(pid_t pid);

/* Shows an address in the user's browser: the child, 0 where no child is needed, or -errno; -ENOTSUP: no screen. */
pid_t process_show(const char *address);

#endif
