/* SPDX-License-Identifier: MIT */
/* Starts a program that is not a child of this process: a caller's wait() for any child and its handler for SIGCHLD are
 * undisturbed. It inherits no descriptors and signals of this process, and of its environment only PATH. */
#ifndef KYMO_CLIENT_DETACHED_PROGRAM_H
#define KYMO_CLIENT_DETACHED_PROGRAM_H

#include <sys/types.h>

/* argv[0] is looked for in PATH; "fd" becomes its standard input and output, standard error goes nowhere. The kernel
 * kills it, and what it has started, when the other end of the socket "life" is closed, as it is when this process ends
 * in whatever way; or after DETACHED_CPU_S of processor time. 0, or -errno. */
pid_t detached_program_start(const char *const *argv, int fd, int life);

#define DETACHED_CPU_S 120u

#endif
