/* SPDX-License-Identifier: MIT */
/* ARP: answers requests for our address, and announces it. RFC 826, RFC 5227. The stack sends no
 * requests: it only speaks to hosts that spoke to it, and answers to the Ethernet address from
 * which they did. */
#ifndef KYMO_NET_ARP_H
#define KYMO_NET_ARP_H

#include "kymo/language.h"
#include "net_interface.h"

KYMO_C_BEGIN

struct kymo_arp {
    uint8_t announcements; /* still to be made */
    uint32_t announce_at;
};

/* Takes a frame of type ARP, with "length" bytes after the Ethernet header. */
void kymo_arp_input(struct kymo_interface *interface, const uint8_t *frame, size_t length);

/* The interface has a new address. */
void kymo_arp_announce(struct kymo_arp *arp, const struct kymo_interface *interface);

/* Sends the announcements that are due. */
void kymo_arp_poll(struct kymo_arp *arp, struct kymo_interface *interface);

KYMO_C_END

#endif
