/* SPDX-License-Identifier: MIT */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TOTAL (1u << 20)
#define LIMIT_S 600

static uint8_t pattern(size_t at) { return (uint8_t)((at ^ at >> 11) * 37u >> 3); }

static void pause_briefly(void) {
    const struct timespec pause = {0, 200000};
    nanosleep(&pause, NULL);
}

static int open_host(void) {
    const int host = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_true(host >= 0);
    return host;
}

static void begin_connection(int host, const struct server *server) {
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(server->port),
                                        .sin_addr.s_addr = htonl(server->address)};
    assert_true(connect(host, (const struct sockaddr *)&address, sizeof address) == 0 ||
                errno == EINPROGRESS);
}

/* 0: connected, -1: refused, 1: neither within the time. */
static int await_connection(int host, int ms) {
    struct pollfd ready = {.fd = host, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    if (poll(&ready, 1, ms) != 1) {
        return 1;
    }
    assert_int_equal(getsockopt(host, SOL_SOCKET, SO_ERROR, &error, &size), 0);
    return error == 0 ? 0 : -1;
}

static int connect_host(const struct server *server) {
    const int host = open_host();
    begin_connection(host, server);
    assert_int_equal(await_connection(host, LIMIT_S * 1000), 0);
    return host;
}

static size_t give(const struct kymo_transport *transport, size_t at, size_t total) {
    uint8_t bytes[500];
    const size_t length = total - at < sizeof bytes ? total - at : sizeof bytes;
    for (size_t i = 0; i < length; i++) {
        bytes[i] = pattern(at + i);
    }
    return at + transport->write(transport->context, bytes, length);
}

static size_t take(int host, size_t at) {
    uint8_t bytes[4096];
    const ssize_t length = recv(host, bytes, sizeof bytes, 0);
    for (ssize_t i = 0; i < length; i++) {
        assert_int_equal(bytes[i], pattern(at + (size_t)i));
    }
    assert_true(length > 0 || (length < 0 && errno == EAGAIN));
    return length > 0 ? at + (size_t)length : at;
}

/* A host that does not read stops the board; when it reads, all is there. */
static void check_to_host(const struct server *server, int host) {
    size_t given = 0, taken = 0, before;
    do {
        before = given;
        for (unsigned i = 0; i < 500; i++) {
            given = give(server->transport, given, (size_t)-1);
            pause_briefly();
        }
    } while (given != before);
    const size_t total = given + TOTAL;
    const time_t end = time(NULL) + LIMIT_S;
    while (taken < total) {
        given = give(server->transport, given, total);
        before = taken;
        taken = take(host, taken);
        if (taken == before) {
            pause_briefly();
        }
        assert_true(time(NULL) < end);
    }
}

static void check_to_board(const struct server *server, int host) {
    size_t given = 0, taken = 0;
    const time_t end = time(NULL) + LIMIT_S;
    while (taken < TOTAL / 4) {
        uint8_t bytes[1000];
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = pattern(given + i);
        }
        const ssize_t sent = send(host, bytes, sizeof bytes, MSG_NOSIGNAL);
        given += sent > 0 ? (size_t)sent : 0;
        const size_t length = server->transport->read(server->transport->context, bytes, 64);
        for (size_t i = 0; i < length; i++) {
            assert_int_equal(bytes[i], pattern(taken + i));
        }
        taken += length;
        if (length == 0) {
            pause_briefly();
        }
        assert_true(time(NULL) < end);
    }
}

/* Frames as kymo sends them: bytes other than zero, and a zero. */
static const uint8_t frame[] = "a frame of kymo, with its end";

/* 13 has no divisor in common with the frame's length, so that each host leaves at another place
 * of it. */
static size_t give_frame(const struct kymo_transport *transport, size_t at) {
    const size_t piece = sizeof frame - at < 13 ? sizeof frame - at : 13;
    return (at + transport->write(transport->context, frame + at, piece)) % sizeof frame;
}

/* Bytes to the host begin with a whole frame. */
static size_t serve_frames(const struct server *server, int host, size_t at) {
    const time_t end = time(NULL) + LIMIT_S;
    uint8_t got[4096];
    size_t length = 0;
    while (length < 1000) {
        at = give_frame(server->transport, at);
        const ssize_t count = recv(host, got + length, sizeof got - length, 0);
        length += count > 0 ? (size_t)count : 0;
        pause_briefly();
        assert_true(time(NULL) < end);
    }
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(got[i], frame[i % sizeof frame]);
    }
    return at;
}

static void kill_host(int host) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(host, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close(host);
}

/* Until the board has noticed that its host is gone: then it takes nothing. */
static size_t await_end(const struct server *server, size_t at) {
    const struct kymo_transport *transport = server->transport;
    const time_t end = time(NULL) + LIMIT_S;
    uint8_t byte;
    while (server->connected(server->state)) {
        (void)transport->read(transport->context, &byte, 1);
        at = give_frame(transport, at);
        pause_briefly();
        assert_true(time(NULL) < end);
    }
    assert_int_equal(give_frame(transport, at), at);
    return at;
}

static size_t check_hosts_that_come_and_go(const struct server *server, size_t at) {
    for (unsigned round = 0; round < 6; round++) {
        const int host = connect_host(server);
        at = serve_frames(server, host, at);
        if (round % 2 == 0) {
            kill_host(host);
        } else {
            close(host);
        }
        at = await_end(server, at);
    }
    return at;
}

static void check_a_second_host(const struct server *server, size_t at) {
    const int first = connect_host(server), second = open_host();
    at = serve_frames(server, first, at);
    begin_connection(second, server);
    if (server->refuses) {
        const time_t end = time(NULL) + LIMIT_S;
        bool refused = await_connection(second, 2000) == -1;
        while (!refused) {
            uint8_t byte;
            const ssize_t count = recv(second, &byte, 1, 0);
            assert_true(count <= 0 && time(NULL) < end);
            refused = count == 0 || (errno != EAGAIN && errno != EINPROGRESS);
            pause_briefly();
        }
    } else {
        assert_int_equal(await_connection(second, LIMIT_S * 1000), 0);
        close(first);
        (void)serve_frames(server, second, at);
    }
    close(second);
}

void server_check(const struct server *server) {
    const struct kymo_transport *transport = server->transport;
    assert_true(transport->network);
    assert_int_equal(transport->write(transport->context, frame, 1), 0);
    const int host = connect_host(server);
    check_to_host(server, host);
    check_to_board(server, host);
    close(host);
    const size_t at = check_hosts_that_come_and_go(server, await_end(server, 0));
    check_a_second_host(server, at);
}
