/* SPDX-License-Identifier: MIT */
/* Sockets. No call waits, and children do not get them. Addresses are those of the system's own header. A call
 * returns -1 with errno set if it fails; EAGAIN: not now. */
#ifndef HOSTLINK_PLATFORM_NET_H
#define HOSTLINK_PLATFORM_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "system/net.h"

int sys_socket(int family, int type);
int sys_bind(int fd, const struct sockaddr *address, socklen_t length);
int sys_listen(int fd, int most);
int sys_accept(int fd, struct sockaddr *address, socklen_t *length);
/* EINPROGRESS: it can be written to when it is connected, or has failed. */
int sys_connect(int fd, const struct sockaddr *address, socklen_t length);
/* 0 or an errno. */
int sys_socket_error(int fd);
int sys_socket_name(int fd, struct sockaddr *address, socklen_t *length);
int sys_set_option(int fd, int level, int option, int value);
/* A listener may have the port at once after the program that had it has ended. */
void sys_share_address(int fd);
/* Probes a silent peer after so many seconds, so many times. Failures only make that slower. */
void sys_keep_alive(int fd, int time_s, int times);
/* No signal if the other side has closed it. */
ssize_t sys_send(int fd, const void *bytes, size_t length);
ssize_t sys_receive(int fd, void *bytes, size_t size);
/* Leaves the bytes in the queue, to be received again. */
ssize_t sys_peek(int fd, void *bytes, size_t size);
ssize_t sys_send_to(int fd, const void *bytes, size_t length, const struct sockaddr *address,
                    socklen_t address_length);
ssize_t sys_receive_from(int fd, void *bytes, size_t size, struct sockaddr *address,
                         socklen_t *address_length);
/* The other side gets an end. */
int sys_shut_write(int fd);
/* Two ends of a stream: [0] never waits, [1] is for a child's standard input and output. */
int sys_socket_pair(int pair[2]);

#endif
