/* SPDX-License-Identifier: MIT */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "posix_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* EINTR comes with a signal before the first byte; the next call tries again. */
static bool is_passing(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/* Keeps errno: the caller may be a signal handler, or code that has yet to look at its own. */
static size_t port_write(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_posix_fd *port = context;
    int before = errno;
    if (port->error != 0) {
        return 0u;
    }
    ssize_t taken = port->is_socket ? send(port->fd, bytes, length, MSG_NOSIGNAL)
                                    : write(port->fd, bytes, length);
    if (taken < 0 && !is_passing(errno)) {
        port->error = errno;
    }
    errno = before;
    return taken < 0 ? 0u : (size_t)taken;
}

static size_t port_read(void *context, uint8_t *bytes, size_t length) {
    struct kymo_posix_fd *port = context;
    int before = errno;
    ssize_t given = read(port->fd, bytes, length);
    if (given == 0 && port->is_socket && port->error == 0) {
        port->error = ENOTCONN;
    }
    errno = before;
    return given < 0 ? 0u : (size_t)given;
}

/* A socket that others than the programs of this machine may reach, or that may be one. */
static bool is_network(int fd) {
    struct sockaddr_storage address = {.ss_family = AF_UNIX};
    socklen_t size = sizeof address;
    return getsockname(fd, (struct sockaddr *)&address, &size) != 0 || address.ss_family != AF_UNIX;
}

int kymo_posix_fd_init(struct kymo_posix_fd *port, int fd, bool reads) {
    struct stat about;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fstat(fd, &about) != 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        return -errno;
    }
    *port = (struct kymo_posix_fd){.fd = fd, .is_socket = S_ISSOCK(about.st_mode)};
    port->transport = (struct kymo_transport){.write = port_write,
                                              .read = reads ? port_read : NULL,
                                              .context = port,
                                              .network = port->is_socket && is_network(fd)};
    return 0;
}

const struct kymo_transport *kymo_posix_fd_transport(struct kymo_posix_fd *port) {
    return &port->transport;
}

int kymo_posix_fd_error(const struct kymo_posix_fd *port) { return -port->error; }
