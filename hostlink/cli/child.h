/* SPDX-License-Identifier: MIT */
/* The command of 'hostlink run': started, watched, and ended with the capture. */
#ifndef HOSTLINK_CHILD_H
#define HOSTLINK_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
    char **argv;       /* set by the caller; ended by NULL */
    bool first;        /* it has to end before the capture begins, as a flash tool */
    pid_t pid;         /* 0 = it does not run */
    pid_t group;       /* its process group, 0 = ours */
    bool has_run;      /* it was started */
    int status;        /* after its end: its status in a shell, 128 + N for signal N */
    uint64_t ended_ns; /* when that was seen */
};

/* With "fd" for its standard input and output, -1 = it has ours. False, with a message, on failure; then "status" is
 * 127, or 126 if the file exists and is not a program. */
bool child_start(struct child *child, int fd);
/* True if it was started and has ended. */
bool child_has_ended(struct child *child);
/* Waits for its end. False: a signal wants hostlink to stop. */
bool child_wait(struct child *child);
/* After the capture: gives it time to end by itself, then ends it, which does not count as its failure. With
 * "stopped", because of a signal, at once. Its own children end with it, if its group is not ours. */
void child_end(struct child *child, bool stopped);

#endif
