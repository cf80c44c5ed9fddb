/* SPDX-License-Identifier: MIT */
/* There is no accept4(), pipe2() or SOCK_CLOEXEC. hostlink starts children from the thread that makes descriptors, so
 * no child can get a descriptor before it is marked. */
#include "system/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "platform/net.h"

static bool keep_from_children(int fd) { return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0; }

/* "fd", or -1: then it is closed. */
static int set_up(int fd) {
    const bool done = fd >= 0 && keep_from_children(fd) && fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
                      sys_set_option(fd, SOL_SOCKET, SO_NOSIGPIPE, 1) == 0;
    if (fd >= 0 && !done) {
        const int error = errno;
        (void)close(fd);
        errno = error;
    }
    return done ? fd : -1;
}

int sys_socket(int family, int type) { return set_up(socket(family, type, 0)); }

/* A peer that has gone since makes SO_NOSIGPIPE fail: nothing to accept. */
int sys_accept(int fd, struct sockaddr *address, socklen_t *length) {
    const int accepted = accept(fd, address, length);
    const int result = set_up(accepted);
    if (accepted >= 0 && result < 0 && errno == EINVAL) {
        errno = EAGAIN;
    }
    return result;
}

void sys_keep_alive(int fd, int time_s, int times) {
    (void)sys_set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_KEEPALIVE, time_s);
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, time_s);
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, times);
}

static int both(int ends[2], bool done) {
    if (!done) {
        const int error = errno;
        (void)close(ends[0]);
        (void)close(ends[1]);
        errno = error;
    }
    return done ? 0 : -1;
}

int sys_socket_pair(int pair[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        return -1;
    }
    return both(pair, keep_from_children(pair[0]) && keep_from_children(pair[1]) &&
                          sys_set_option(pair[0], SOL_SOCKET, SO_NOSIGPIPE, 1) == 0 &&
                          fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0);
}

int posix_pipe(int ends[2]) {
    if (pipe(ends) != 0) {
        return -1;
    }
    return both(ends, keep_from_children(ends[0]) && keep_from_children(ends[1]));
}
