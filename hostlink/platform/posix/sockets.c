/* SPDX-License-Identifier: MIT */
/* Descriptors that are made without a moment in which another thread's child could get them. */
#include "system/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "platform/net.h"

int sys_socket(int family, int type) {
    return socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int sys_accept(int fd, struct sockaddr *address, socklen_t *length) {
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void sys_keep_alive(int fd, int time_s, int times) {
    (void)sys_set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, time_s);
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, time_s);
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, times);
}

int sys_socket_pair(int pair[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return -1;
    }
    if (fcntl(pair[0], F_SETFL, O_NONBLOCK) != 0) {
        (void)close(pair[0]);
        (void)close(pair[1]);
        return -1;
    }
    return 0;
}

int posix_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
