/* SPDX-License-Identifier: MIT */
/* One Ethernet interface with one IPv4 address: every protocol of the stack sends through it. Also
 * its counters. */
#ifndef KYMO_NET_INTERFACE_H
#define KYMO_NET_INTERFACE_H

#include <stdbool.h>

#include "net_counters.h"
#include "net_link.h"

/* IEEE 802.3: destination, source, type; and the shortest frame without its check sequence. */
#define KYMO_ETHERNET_HEAD_BYTES 14u
#define KYMO_ETHERNET_LEAST_BYTES 60u
#define KYMO_ETHERTYPE_IPV4 0x0800u
#define KYMO_ETHERTYPE_ARP 0x0806u

struct kymo_interface {
    const struct kymo_net_link *link;
    uint32_t address; /* 0: none yet */
    uint32_t now_ms;  /* when this poll began */
    struct kymo_net_counts counters;
};

extern const uint8_t kymo_ethernet_broadcast[KYMO_NET_MAC_BYTES];

/* Whether there is a buffer for a frame. */
static inline bool kymo_interface_ready(const struct kymo_interface *interface) {
    return interface->link->claim(interface->link->context) != NULL;
}

/* A buffer for a frame, or NULL, which is counted. The protocols write after the Ethernet
 * header. */
uint8_t *kymo_interface_claim(struct kymo_interface *interface);

/* Sends that frame with "length" bytes after the Ethernet header, filled up to the shortest
 * frame. */
void kymo_interface_send(struct kymo_interface *interface, uint8_t *frame, const uint8_t *to,
                         uint32_t type, size_t length);

#endif
