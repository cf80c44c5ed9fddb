/* SPDX-License-Identifier: MIT */
/* The server of POSIX sockets, over this machine's loopback. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_serves_one_host_after_the_other),
        cmocka_unit_test(a_port_in_use_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
