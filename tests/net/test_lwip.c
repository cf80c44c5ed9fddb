/* SPDX-License-Identifier: MIT */
/* The adapters to lwIP, with Debian's lwIP (liblwip-dev) as the board's network stack and Linux
 * as the host. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/tcpip.h"
#include "lwip_raw.h"
#include "posix_socket.h"
#include "server.h"
#include "tap.h"

#define HOST_ADDRESS 0x0a090801u  /* 10.9.8.1 */
#define BOARD_ADDRESS 0x0a090802u /* 10.9.8.2 */

static int tap;
static struct netif board;

static err_t to_host(struct netif *netif, struct pbuf *chain) {
    uint8_t frame[1600];
    (void)netif;
    const u16_t length = pbuf_copy_partial(chain, frame, sizeof frame, 0);
    return write(tap, frame, length) == length ? ERR_OK : ERR_IF;
}

/* Frames of the host, until the program ends. */
static void *from_host(void *nothing) {
    for (;;) {
        uint8_t frame[1600];
        struct pollfd readable = {.fd = tap, .events = POLLIN};
        (void)poll(&readable, 1, -1);
        const ssize_t length = read(tap, frame, sizeof frame);
        struct pbuf *packet = length > 0 ? pbuf_alloc(PBUF_RAW, (u16_t)length, PBUF_RAM) : NULL;
        if (packet != NULL && (pbuf_take(packet, frame, (u16_t)length) != ERR_OK ||
                               board.input(packet, &board) != ERR_OK)) {
            pbuf_free(packet);
        }
    }
    return nothing;
}

static err_t set_up(struct netif *netif) {
    static const uint8_t mac[] = {0x02, 0x6b, 0x79, 0x6d, 0x6f, 0x01};
    memcpy(netif->hwaddr, mac, sizeof mac);
    netif->hwaddr_len = sizeof mac;
    netif->mtu = 1500;
    netif->output = etharp_output;
    netif->linkoutput = to_host;
    netif->flags =
        NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    return ERR_OK;
}

static int start(void **state) {
    const ip4_addr_t address = {PP_HTONL(BOARD_ADDRESS)}, mask = {PP_HTONL(0xffffff00u)},
                     router = {0};
    pthread_t receiver;
    (void)state;
    tap = tap_open(HOST_ADDRESS);
    if (tap < 0) {
        return tap;
    }
    tcpip_init(NULL, NULL);
    LOCK_TCPIP_CORE();
    const bool added =
        netif_add(&board, &address, &mask, &router, NULL, set_up, tcpip_input) != NULL;
    netif_set_up(&board);
    UNLOCK_TCPIP_CORE();
    return added ? pthread_create(&receiver, NULL, from_host, NULL) : -ENOMEM;
}

static bool raw_connected(const void *state) { return kymo_lwip_raw_connected(state); }
static bool socket_connected(const void *state) { return kymo_posix_socket_connected(state); }

static void the_raw_api_serves_one_host_after_the_other(void **state) {
    (void)state;
    static struct kymo_lwip_raw server, second;
    assert_int_equal(kymo_lwip_raw_listen(&server, 6996), ERR_OK);
    assert_int_equal(kymo_lwip_raw_listen(&second, 6996), ERR_USE);
    server_check(&(struct server){.transport = kymo_lwip_raw_transport(&server),
                                  .address = BOARD_ADDRESS,
                                  .port = 6996,
                                  .refuses = true,
                                  .connected = raw_connected,
                                  .state = &server});
    assert_true(kymo_lwip_raw_connected(&server));
}

static void sockets_serve_one_host_after_the_other(void **state) {
    (void)state;
    static struct kymo_posix_socket server;
    assert_int_equal(kymo_posix_socket_listen(&server, BOARD_ADDRESS, 6997), 0);
    assert_int_equal(kymo_posix_socket_port(&server), 6997);
    server_check(&(struct server){.transport = kymo_posix_socket_transport(&server),
                                  .address = BOARD_ADDRESS,
                                  .port = 6997,
                                  .connected = socket_connected,
                                  .state = &server});
    kymo_posix_socket_close(&server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_raw_api_serves_one_host_after_the_other),
        cmocka_unit_test(sockets_serve_one_host_after_the_other),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
