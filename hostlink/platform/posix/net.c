/* SPDX-License-Identifier: MIT */
#include "platform/net.h"

#include <errno.h>

int sys_bind(int fd, const struct sockaddr *address, socklen_t length) {
    return bind(fd, address, length);
}

int sys_listen(int fd, int most) { return listen(fd, most); }

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
