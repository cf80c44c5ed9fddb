/* SPDX-License-Identifier: MIT */
/* ARP: answers who has our address, and announces it. RFC 826, RFC 5227. The stack asks nobody:
 * it only speaks to those who spoke to it, and answers to the Ethernet address that they came
 * from. */
#ifndef KYMO_NET_ARP_H
#define KYMO_NET_ARP_H

#include "kymo/language.h"
#include "net_interface.h"

KYMO_C_BEGIN

struct kymo_arp {
    uint8_t announcements; /* still to be made */
    uint32_t announce_at;
};

/* A frame of type ARP, "length" bytes behind the Ethernet header. */
void kymo_arp_input(struct kymo_interface *interface, const uint8_t *frame, size_t length);

/* The interface has a new address. */
void kymo_arp_announce(struct kymo_arp *arp, const struct kymo_interface *interface);

/* Sends what is due. */
void kymo_arp_poll(struct kymo_arp *arp, struct kymo_interface *interface);

KYMO_C_END

#endif
