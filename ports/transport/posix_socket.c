/* SPDX-License-Identifier: MIT */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "posix_socket.h"

#if defined KYMO_POSIX_SOCKET_LWIP && KYMO_POSIX_SOCKET_LWIP
#include "lwip/errno.h"
#include "lwip/sockets.h"
#define CALL(name) lwip_##name
#else
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#define CALL(name) name
#endif

/* Seconds of silence, seconds between questions, questions. */
#define KEEP_IDLE_S 10
#define KEEP_INTERVAL_S 2
#define KEEP_COUNT 10

static void set(int socket, int level, int option, int value) {
    (void)CALL(setsockopt)(socket, level, option, &value, sizeof value); /* a wish, not a need */
}

/* Each packet leaves at once: Nagle's rule would keep the rest of an answer to a ping until its begin is acknowledged,
 * which the other side puts off by some 40 ms. */
static void set_up(int host) {
    set(host, IPPROTO_TCP, TCP_NODELAY, 1);
    set(host, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    set(host, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S);
    set(host, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL_S);
    set(host, IPPROTO_TCP, TCP_KEEPCNT, KEEP_COUNT);
#endif
}

static bool is_connected(struct kymo_posix_socket *server) {
    if (server->host < 0) {
        server->host = CALL(accept)(server->listener, NULL, NULL);
        if (server->host >= 0) {
            set_up(server->host);
            kymo_whole_packets_restart(&server->packets);
        }
    }
    return server->host >= 0;
}

/* EINTR comes with a signal before the first byte; the next call tries again. */
static bool is_passing(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static void drop_host(struct kymo_posix_socket *server) {
    (void)CALL(close)(server->host);
    server->host = -1;
}

/* Keeps errno: the caller may have yet to look at its own. */
static size_t port_write(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_posix_socket *server = context;
    const int before = errno;
    size_t taken = 0u;
    if (is_connected(server)) {
        taken = kymo_whole_packets_skip(&server->packets, bytes, length);
        const ssize_t sent =
            CALL(send)(server->host, bytes + taken, length - taken, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent >= 0) {
            taken += (size_t)sent;
        } else if (!is_passing(errno)) {
            drop_host(server);
        }
        kymo_whole_packets_taken(&server->packets, bytes, taken);
    }
    errno = before;
    return taken;
}

static size_t port_read(void *context, uint8_t *bytes, size_t length) {
    struct kymo_posix_socket *server = context;
    const int before = errno;
    ssize_t given = -1;
    if (is_connected(server) && length != 0u) {
        given = CALL(recv)(server->host, bytes, length, MSG_DONTWAIT);
        if (given == 0 || (given < 0 && !is_passing(errno))) {
            drop_host(server);
        }
    }
    errno = before;
    return given > 0 ? (size_t)given : 0u;
}

static int start_listening(int listener, uint32_t address, uint16_t port) {
    struct sockaddr_in own = {0};
    own.sin_family = AF_INET;
    own.sin_port = htons(port);
    own.sin_addr.s_addr = htonl(address);
    set(listener, SOL_SOCKET, SO_REUSEADDR, 1);
    if (CALL(bind)(listener, (const struct sockaddr *)&own, sizeof own) != 0 ||
        CALL(listen)(listener, 1) != 0 || CALL(fcntl)(listener, F_SETFL, O_NONBLOCK) != 0) {
        return -errno;
    }
    return 0;
}

int kymo_posix_socket_listen(struct kymo_posix_socket *server, uint32_t address, uint16_t port) {
    const int listener = CALL(socket)(AF_INET, SOCK_STREAM, 0);
    if (listener < 0) {
        return -errno;
    }
    const int error = start_listening(listener, address, port);
    if (error != 0) {
        (void)CALL(close)(listener);
        return error;
    }
    *server = (struct kymo_posix_socket){.listener = listener, .host = -1};
    kymo_transport_set(&server->transport, port_write, port_read, server);
    server->transport.network = true;
    return 0;
}

int kymo_posix_socket_port(const struct kymo_posix_socket *server) {
    struct sockaddr_in own;
    socklen_t size = sizeof own;
    if (CALL(getsockname)(server->listener, (struct sockaddr *)&own, &size) != 0) {
        return -errno;
    }
    return ntohs(own.sin_port);
}

void kymo_posix_socket_close(struct kymo_posix_socket *server) {
    if (server->host >= 0) {
        drop_host(server);
    }
    (void)CALL(close)(server->listener);
}
