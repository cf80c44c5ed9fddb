/* SPDX-License-Identifier: MIT */
#include "net_beacon.h"

#include "net_bytes.h"

/* README.md, "The announcement" */
enum { MAGIC = 0, VERSION = 4, FLAGS = 5, TCP_PORT = 6, MAC = 8, NAME_LENGTH = 14, NAME = 15 };
#define BEACON_VERSION 1u
#define NAME_BYTES 64u

static void send(struct kymo_interface *interface, const char *name, uint16_t tcp_port) {
    struct kymo_ipv4_peer all;
    all.address = KYMO_IPV4_BROADCAST;
    uint8_t *frame = kymo_interface_claim(interface);
    if (frame == NULL) {
        return;
    }
    uint8_t *message = frame + KYMO_UDP_PAYLOAD_AT;
    const uint8_t length = kymo_text_length(name, NAME_BYTES);
    kymo_put_bytes(message + MAGIC, "kymo", 4u);
    message[VERSION] = BEACON_VERSION;
    message[FLAGS] = 0u;
    kymo_put16(message + TCP_PORT, tcp_port);
    kymo_put_bytes(message + MAC, interface->link->mac, KYMO_NET_MAC_BYTES);
    message[NAME_LENGTH] = length;
    kymo_put_bytes(message + NAME, name, length);
    kymo_put_bytes(all.mac, kymo_ethernet_broadcast, KYMO_NET_MAC_BYTES);
    kymo_udp_send(interface, frame, &all, KYMO_NET_PORT, KYMO_NET_PORT, NAME + length);
}

void kymo_net_announce(struct kymo_beacon *beacon, struct kymo_interface *interface,
                       const char *name, uint16_t tcp_port) {
    if (interface->address != 0u && interface->now_ms - beacon->sent_ms >= KYMO_NET_BEACON_MS) {
        beacon->sent_ms = interface->now_ms;
        send(interface, name, tcp_port);
    }
}
