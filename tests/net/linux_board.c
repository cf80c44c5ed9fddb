/* SPDX-License-Identifier: MIT */
#include "linux_board.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

int tap;
struct bad_wire wire;
struct kymo_net net;
const struct kymo_net_counts *counters;
const struct kymo_transport *transport;

static uint32_t now_ms(void) { return (uint32_t)bad_wire_now_ms(); }

int start(void **state) {
    (void)state;
    const struct kymo_net_config config = {.link = &wire.link,
                                           .now_ms = now_ms,
                                           .address = BOARD_ADDRESS,
                                           .name = "board under test",
                                           .announce = kymo_net_announce,
                                           .secret = {1, 2, 3, 4}};
    bad_wire_init(&wire, tap, 88172645463325252u);
    kymo_net_init(&net, &config);
    counters = kymo_net_counters(&net);
    transport = kymo_net_transport(&net);
    return 0;
}

void turn(void) {
    struct pollfd readable = {.fd = tap, .events = POLLIN};
    bad_wire_poll(&wire);
    kymo_net_poll(&net);
    bad_wire_poll(&wire);
    (void)poll(&readable, 1, 1);
}

void turn_for(uint32_t ms) {
    for (const uint64_t end = bad_wire_now_ms() + ms; bad_wire_now_ms() < end;) {
        turn();
    }
}

int connect_to_board(uint32_t patience_ms) {
    const struct sockaddr_in board = {.sin_family = AF_INET,
                                      .sin_port = htons(KYMO_NET_PORT),
                                      .sin_addr.s_addr = htonl(BOARD_ADDRESS)};
    const int host = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(host >= 0);
    (void)connect(host, (const struct sockaddr *)&board, sizeof board);
    for (const uint64_t end = bad_wire_now_ms() + patience_ms; bad_wire_now_ms() < end;) {
        struct pollfd done = {.fd = host, .events = POLLOUT};
        int error = 0;
        socklen_t size = sizeof error;
        turn();
        if (poll(&done, 1, 0) > 0) {
            assert_int_equal(getsockopt(host, SOL_SOCKET, SO_ERROR, &error, &size), 0);
            if (error == 0) {
                return host;
            }
            break;
        }
    }
    close(host);
    return -1;
}

int connected(void) {
    const uint32_t before = counters->connections;
    const int host = connect_to_board(LIMIT_MS);
    assert_true(host >= 0);
    for (const uint64_t end = bad_wire_now_ms() + LIMIT_MS; counters->connections == before;) {
        assert_true(bad_wire_now_ms() < end);
        turn();
    }
    return host;
}

void kill_connection(int host) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    assert_int_equal(setsockopt(host, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close(host);
}

/* Byte number "at" of the sent stream: no byte is like its neighbours. */
static uint8_t pattern(size_t at) {
    const uint32_t mixed = (uint32_t)(at ^ at >> 15) * 0x2c1b3c6du;
    return (uint8_t)(mixed >> 24 ^ mixed >> 7);
}

void fill(uint8_t *bytes, size_t at, size_t length) {
    for (size_t i = 0; i < length; i++) {
        bytes[i] = pattern(at + i);
    }
}

void is_pattern(const uint8_t *bytes, size_t at, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != pattern(at + i)) {
            fail_msg("byte %zu is wrong", at + i);
        }
    }
}
