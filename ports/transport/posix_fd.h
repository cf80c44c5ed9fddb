/* SPDX-License-Identifier: MIT */
/* An open file descriptor as a transport: socket, pseudo-terminal, serial device, pipe, file. Never
 * waits. Uses POSIX, unlike the other transports. */
#ifndef KYMO_POSIX_FD_H
#define KYMO_POSIX_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

KYMO_C_BEGIN

/* Owned by the caller; the fields are private to the driver. */
struct kymo_posix_fd {
    int fd;
    bool is_socket;
    int error; /* errno that ended the connection, 0 = it holds */
    struct kymo_transport transport;
};

/* Makes "fd" non-blocking, for all descriptors that share its open file description. Returns 0, or a negative errno
 * value. The caller owns the descriptor: kymo neither opens nor closes it. "reads" false: the transport only sends. A
 * terminal must be in raw mode. A TCP socket is a network: see kymo/transport.h. */
int kymo_posix_fd_init(struct kymo_posix_fd *port, int fd, bool reads);

/* For kymo_init(). */
const struct kymo_transport *kymo_posix_fd_transport(struct kymo_posix_fd *port);

/* 0; the negative errno value of the first write that failed for good (-EPIPE: the other end is gone); or -ENOTCONN if
 * the other end has closed. The transport accepts no bytes after that, so check it in loops that drain until nothing is
 * pending. A broken pipe that is not a socket raises SIGPIPE: ignore that signal. */
int kymo_posix_fd_error(const struct kymo_posix_fd *port);

KYMO_C_END

#endif
