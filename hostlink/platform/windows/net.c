/* SPDX-License-Identifier: MIT */
#include "platform/net.h"

#include <errno.h>

#include "platform/file.h"
#include "windows/descriptors.h"

static SOCKET socket_of(int fd) {
    const struct descriptor *descriptor = descriptor_of(fd);
    return descriptor && descriptor->kind == DESCRIPTOR_SOCKET ? descriptor->socket
                                                               : INVALID_SOCKET;
}

static int result(int got) { return got == 0 ? 0 : descriptor_socket_error(); }

static ssize_t result_size(int got) { return got >= 0 ? got : descriptor_socket_error(); }

/* The functions of sockets take an int. */
static int fit(size_t length) { return length < INT32_MAX ? (int)length : INT32_MAX; }

static int adopt(SOCKET socket) {
    u_long on = 1;
    if (socket == INVALID_SOCKET) {
        return descriptor_socket_error();
    }
    (void)ioctlsocket(socket, (long)FIONBIO, &on);
    const int fd = descriptor_new(DESCRIPTOR_SOCKET, socket, NULL);
    if (fd < 0) {
        (void)closesocket(socket);
    }
    return fd;
}

int sys_socket(int family, int type) {
    return adopt(
        WSASocketW(family, type, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT));
}

int sys_bind(int fd, const struct sockaddr *address, socklen_t length) {
    return result(bind(socket_of(fd), address, length));
}

int sys_listen(int fd, int most) { return result(listen(socket_of(fd), most)); }

int sys_accept(int fd, struct sockaddr *address, socklen_t *length) {
    const SOCKET socket = accept(socket_of(fd), address, length);
    if (socket != INVALID_SOCKET) {
        (void)SetHandleInformation((HANDLE)socket, HANDLE_FLAG_INHERIT, 0);
    }
    return adopt(socket);
}

int sys_connect(int fd, const struct sockaddr *address, socklen_t length) {
    const int error = result(connect(socket_of(fd), address, length));
    if (error != 0 && errno == EAGAIN) {
        errno = EINPROGRESS;
    }
    return error;
}

int sys_socket_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(socket_of(fd), SOL_SOCKET, SO_ERROR, (char *)&error, &size) != 0) {
        (void)descriptor_socket_error();
        return errno;
    }
    if (error == 0) {
        return 0;
    }
    WSASetLastError(error);
    (void)descriptor_socket_error();
    return errno;
}

int sys_socket_name(int fd, struct sockaddr *address, socklen_t *length) {
    return result(getsockname(socket_of(fd), address, length));
}

int sys_set_option(int fd, int level, int option, int value) {
    return result(setsockopt(socket_of(fd), level, option, (const char *)&value, sizeof value));
}

/* SO_REUSEADDR would let another program take the port away; without it a port is free at once. */
void sys_share_address(int fd) { (void)sys_set_option(fd, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1); }

void sys_keep_alive(int fd, int time_s, int times) {
    struct {
        u_long on, time_ms, interval_ms;
    } settings = {1, (u_long)time_s * 1000, (u_long)time_s * 1000};
    DWORD unused;
    (void)times; /* always ten */
    (void)WSAIoctl(socket_of(fd), _WSAIOW(IOC_VENDOR, 4) /* SIO_KEEPALIVE_VALS */, &settings,
                   sizeof settings, NULL, 0, &unused, NULL, NULL);
}

ssize_t sys_send(int fd, const void *bytes, size_t length) {
    return result_size(send(socket_of(fd), bytes, fit(length), 0));
}

ssize_t sys_receive(int fd, void *bytes, size_t size) {
    return result_size(recv(socket_of(fd), bytes, fit(size), 0));
}

ssize_t sys_peek(int fd, void *bytes, size_t size) {
    return result_size(recv(socket_of(fd), bytes, fit(size), MSG_PEEK));
}

ssize_t sys_send_to(int fd, const void *bytes, size_t length, const struct sockaddr *address,
                    socklen_t address_length) {
    return result_size(sendto(socket_of(fd), bytes, fit(length), 0, address, address_length));
}

ssize_t sys_receive_from(int fd, void *bytes, size_t size, struct sockaddr *address,
                         socklen_t *address_length) {
    return result_size(recvfrom(socket_of(fd), bytes, fit(size), 0, address, address_length));
}

int sys_shut_write(int fd) { return result(shutdown(socket_of(fd), SD_SEND)); }

/* ---- pairs ---- */

/* A child's standard streams must not be of a socket for overlapped calls. */
static SOCKET connect_child(SOCKET listener) {
    struct sockaddr_in address = {0};
    socklen_t length = sizeof address;
    const SOCKET socket = WSASocketW(AF_INET, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_NO_HANDLE_INHERIT);
    if (socket != INVALID_SOCKET &&
        (getsockname(listener, (struct sockaddr *)&address, &length) != 0 ||
         connect(socket, (struct sockaddr *)&address, length) != 0)) {
        (void)closesocket(socket);
        return INVALID_SOCKET;
    }
    return socket;
}

/* Another program may have come first: it is sent away. */
static SOCKET accept_child(SOCKET listener, SOCKET child) {
    struct sockaddr_in own = {0}, peer = {0};
    socklen_t length = sizeof own;
    if (getsockname(child, (struct sockaddr *)&own, &length) != 0) {
        return INVALID_SOCKET;
    }
    for (;;) {
        length = sizeof peer;
        const SOCKET socket = accept(listener, (struct sockaddr *)&peer, &length);
        if (socket == INVALID_SOCKET || peer.sin_port == own.sin_port) {
            return socket;
        }
        (void)closesocket(socket);
    }
}

int sys_socket_pair(int pair[2]) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const SOCKET listener =
        WSASocketW(AF_INET, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_NO_HANDLE_INHERIT);
    SOCKET child = INVALID_SOCKET, ours = INVALID_SOCKET;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(listener, 1) == 0 && (child = connect_child(listener)) != INVALID_SOCKET) {
        ours = accept_child(listener, child);
    }
    if (ours == INVALID_SOCKET) {
        (void)descriptor_socket_error();
    }
    (void)closesocket(listener);
    pair[0] = ours != INVALID_SOCKET ? adopt(ours) : -1;
    pair[1] = pair[0] >= 0 ? descriptor_new(DESCRIPTOR_SOCKET, child, NULL) : -1;
    if (pair[1] >= 0) {
        (void)SetHandleInformation((HANDLE)ours, HANDLE_FLAG_INHERIT, 0);
        return 0;
    }
    if (pair[0] >= 0) {
        (void)sys_close(pair[0]);
    }
    if (child != INVALID_SOCKET) {
        (void)closesocket(child);
    }
    return -1;
}
