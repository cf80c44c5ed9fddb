/* SPDX-License-Identifier: MIT */
/* The server of POSIX sockets, over this machine's loopback. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "long_names.h"
#include "posix_socket.h"
#include "server.h"

#define LOOPBACK 0x7f000001u

static bool is_connected(const void *state) { return kymo_posix_socket_connected(state); }

static void it_serves_one_host_after_the_other(void **state) {
    (void)state;
    struct kymo_posix_socket server;
    assert_int_equal(kymo_posix_socket_listen(&server, LOOPBACK, 0), 0);
    const int port = kymo_posix_socket_port(&server);
    assert_in_range(port, 1, 65535);
    assert_false(kymo_posix_socket_connected(&server));
    server_check(&(struct server){.transport = kymo_posix_socket_transport(&server),
                                  .address = LOOPBACK,
                                  .port = (uint16_t)port,
                                  .connected = is_connected,
                                  .state = &server});
    assert_true(kymo_posix_socket_connected(&server));
    kymo_posix_socket_close(&server);
}

static void a_port_in_use_is_an_error(void **state) {
    (void)state;
    struct kymo_posix_socket server, second;
    assert_int_equal(kymo_posix_socket_listen(&server, LOOPBACK, 0), 0);
    assert_int_equal(
        kymo_posix_socket_listen(&second, LOOPBACK, (uint16_t)kymo_posix_socket_port(&server)),
        -EADDRINUSE);
    kymo_posix_socket_close(&server);
}

static int host;

static size_t host_receives(uint8_t *bytes, size_t room) {
    const ssize_t count = recv(host, bytes, room, MSG_DONTWAIT);
    assert_true(count > 0 || errno == EAGAIN);
    return count > 0 ? (size_t)count : 0u;
}

static void long_names_arrive_whole(void **state) {
    (void)state;
    struct kymo_posix_socket server;
    assert_int_equal(kymo_posix_socket_listen(&server, LOOPBACK, 0), 0);
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_addr.s_addr = htonl(LOOPBACK),
                                        .sin_port =
                                            htons((uint16_t)kymo_posix_socket_port(&server))};
    host = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(host, (const struct sockaddr *)&address, sizeof address), 0);
    long_names_arrive(kymo_posix_socket_transport(&server), host_receives);
    /* A packet of which the begin has left is not held back until that is acknowledged. */
    int at_once = 0;
    socklen_t size = sizeof at_once;
    assert_int_equal(getsockopt(server.host, IPPROTO_TCP, TCP_NODELAY, &at_once, &size), 0);
    assert_true(at_once != 0);
    (void)close(host);
    kymo_posix_socket_close(&server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_serves_one_host_after_the_other),
        cmocka_unit_test(a_port_in_use_is_an_error),
        cmocka_unit_test(long_names_arrive_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
