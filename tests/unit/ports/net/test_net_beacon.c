/* SPDX-License-Identifier: MIT */
/* The announcement of a board on the network: ports/net/README.md, "The announcement". */
#include <string.h>

#include "cases.h"
#include "net/script.h"

#define UDP_AT 34u
#define MESSAGE_AT 42u
#define NAME_AT (MESSAGE_AT + 15u)

static uint32_t clock_ms(void) { return now_ms; }

static void begin(uint16_t port) {
    const struct kymo_net_config config = {.link = &wire.link,
                                           .now_ms = clock_ms,
                                           .address = BOARD_ADDRESS,
                                           .port = port,
                                           .name = "test board",
                                           .announce = kymo_net_announce,
                                           .secret = {1, 2, 3}};
    now_ms = 0;
    link_model_init(&wire);
    kymo_net_init(&net, &config);
}

/* The next UDP packet: all others are ARP. */
static struct packet announcement(void) {
    for (unsigned i = 0; i < 1000u; i++) {
        script_wait(10);
        if (!script_silent()) {
            const struct packet packet = script_hear_packet();
            if (packet_get16(&packet, 12) == 0x0800u) {
                return packet;
            }
        }
    }
    fail_msg("no announcement");
    return (struct packet){0};
}

/* "port" of the configuration, and the one to connect to. */
static void check(uint16_t port, uint16_t announced) {
    static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    begin(port);
    const struct packet packet = announcement();
    assert_memory_equal(packet.bytes, everybody, 6);
    assert_int_equal(packet_get16(&packet, UDP_AT), KYMO_NET_PORT);
    assert_int_equal(packet_get16(&packet, UDP_AT + 2u), KYMO_NET_PORT);
    assert_memory_equal(packet.bytes + MESSAGE_AT, "kymo\x01\0", 6);
    assert_int_equal(packet_get16(&packet, MESSAGE_AT + 6u), announced);
    assert_memory_equal(packet.bytes + MESSAGE_AT + 8u, wire.link.mac, 6);
    assert_int_equal(packet.bytes[NAME_AT - 1u], strlen("test board"));
    assert_memory_equal(packet.bytes + NAME_AT, "test board", strlen("test board"));
}

CASE(the_port_is_the_one_to_connect_to) {
    check(0, KYMO_NET_PORT);
    check(40123, 40123);
}
