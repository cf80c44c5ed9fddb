/* SPDX-License-Identifier: MIT */
#include "platform/net.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int sys_socket(int family, int type) {
    return socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int sys_bind(int fd, const struct sockaddr *address, socklen_t length) {
    return bind(fd, address, length);
}

int sys_listen(int fd, int most) { return listen(fd, most); }

int sys_accept(int fd, struct sockaddr *address, socklen_t *length) {
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int sys_connect(int fd, const struct sockaddr *address, socklen_t length) {
    return connect(fd, address, length);
}

int sys_socket_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

int sys_socket_name(int fd, struct sockaddr *address, socklen_t *length) {
    return getsockname(fd, address, length);
}

int sys_set_option(int fd, int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value);
}

void sys_share_address(int fd) { (void)sys_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1); }

void sys_keep_alive(int fd, int time_s, int times) {
    (void)sys_set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, time_s);
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, time_s);
    (void)sys_set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, times);
#else
    (void)time_s, (void)times;
#endif
}

ssize_t sys_send(int fd, const void *bytes, size_t length) {
    return send(fd, bytes, length, MSG_NOSIGNAL);
}

ssize_t sys_receive(int fd, void *bytes, size_t size) { return recv(fd, bytes, size, 0); }

ssize_t sys_peek(int fd, void *bytes, size_t size) {
    return recv(fd, bytes, size, MSG_PEEK | MSG_DONTWAIT);
}

ssize_t sys_send_to(int fd, const void *bytes, size_t length, const struct sockaddr *address,
                    socklen_t address_length) {
    return sendto(fd, bytes, length, MSG_NOSIGNAL, address, address_length);
}

ssize_t sys_receive_from(int fd, void *bytes, size_t size, struct sockaddr *address,
                         socklen_t *address_length) {
    return recvfrom(fd, bytes, size, MSG_DONTWAIT, address, address_length);
}

int sys_shut_write(int fd) { return shutdown(fd, SHUT_WR); }

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
