/* SPDX-License-Identifier: MIT */
#include "net_arp.h"

#include "net_bytes.h"

/* RFC 826: the fields for IPv4 over Ethernet, from the first byte after the Ethernet header. */
enum {
    FIXED = 0, /* hardware 1, protocol 0x0800, sizes 6 and 4 */
    OPERATION = 6,
    SENDER_MAC = 8,
    SENDER_ADDRESS = 14,
    TARGET_MAC = 18,
    TARGET_ADDRESS = 24,
    ARP_BYTES = 28,
};
#define OPERATION_REQUEST 1u
#define OPERATION_REPLY 2u
/* RFC 5227 section 1.1: ANNOUNCE_NUM and ANNOUNCE_INTERVAL */
#define ANNOUNCEMENTS 2u
#define ANNOUNCE_INTERVAL_MS 2000u

static const uint8_t fixed[] = {0, 1, 8, 0, 6, 4};

static void send(struct kymo_interface *interface, uint32_t operation, const uint8_t *mac,
                 uint32_t address) {
    uint8_t *frame = kymo_interface_claim(interface);
    if (frame == NULL) {
        return;
    }
    uint8_t *arp = frame + KYMO_ETHERNET_HEAD_BYTES;
    kymo_put_bytes(arp + FIXED, fixed, sizeof fixed);
    kymo_put16(arp + OPERATION, operation);
    kymo_put_bytes(arp + SENDER_MAC, interface->link->mac, KYMO_NET_MAC_BYTES);
    kymo_put32(arp + SENDER_ADDRESS, interface->address);
    kymo_put_bytes(arp + TARGET_MAC, mac, KYMO_NET_MAC_BYTES);
    kymo_put32(arp + TARGET_ADDRESS, address);
    kymo_interface_send(interface, frame, mac, KYMO_ETHERTYPE_ARP, ARP_BYTES);
}

void kymo_arp_input(struct kymo_interface *interface, const uint8_t *frame, size_t length) {
    const uint8_t *arp = frame + KYMO_ETHERNET_HEAD_BYTES;
    if (length < ARP_BYTES) {
        interface->counters.malformed++;
        return;
    }
    if (!kymo_bytes_equal(arp + FIXED, fixed, sizeof fixed) || interface->address == 0u) {
        interface->counters.not_for_us++;
        return;
    }
    if (kymo_get32(arp + SENDER_ADDRESS) == interface->address) {
        interface->counters.address_conflict++;
        return;
    }
    if (kymo_get16(arp + OPERATION) != OPERATION_REQUEST ||
        kymo_get32(arp + TARGET_ADDRESS) != interface->address) {
        interface->counters.not_for_us++;
        return;
    }
    send(interface, OPERATION_REPLY, arp + SENDER_MAC, kymo_get32(arp + SENDER_ADDRESS));
}

void kymo_arp_announce(struct kymo_arp *arp, const struct kymo_interface *interface) {
    arp->announcements = ANNOUNCEMENTS;
    arp->announce_at = interface->now_ms;
}

/* RFC 5227 section 2.3: an announcement is a request for one's own address. */
void kymo_arp_poll(struct kymo_arp *arp, struct kymo_interface *interface) {
    if (arp->announcements == 0u || !kymo_reached(interface->now_ms, arp->announce_at)) {
        return;
    }
    arp->announcements--;
    arp->announce_at = interface->now_ms + ANNOUNCE_INTERVAL_MS;
    send(interface, OPERATION_REQUEST, kymo_ethernet_broadcast, interface->address);
}
