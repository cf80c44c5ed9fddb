/* SPDX-License-Identifier: MIT */
/* DHCP client: gets the interface its address, and keeps it. RFC 2131, RFC 2132. Only the
 * address is taken from the server: routers and masks are of no use to a stack that answers to
 * where a frame came from. */
#ifndef KYMO_NET_DHCP_H
#define KYMO_NET_DHCP_H

#include "kymo/language.h"
#include "net_udp.h"

KYMO_C_BEGIN

#define KYMO_DHCP_SERVER_PORT 67u
#define KYMO_DHCP_CLIENT_PORT 68u

struct kymo_dhcp {
    enum { KYMO_DHCP_OFF, KYMO_DHCP_SELECTING, KYMO_DHCP_REQUESTING, KYMO_DHCP_BOUND } state;
    uint8_t tries; /* since the state began */
    uint32_t transaction;
    uint32_t began_ms; /* of the state; in BOUND, of the lease */
    uint32_t send_at;
    uint32_t lease_ms;
    uint32_t offered;
    struct kymo_ipv4_peer server;
    const char *name; /* of the host, may be NULL */
};

/* From now on looks for an address. "transaction" is any number that other boards do not have,
 * too. */
void kymo_dhcp_start(struct kymo_dhcp *dhcp, const struct kymo_interface *interface,
                     const char *name, uint32_t transaction);

/* A message to the client's port. It may give the interface its address or take it away. */
void kymo_dhcp_input(struct kymo_dhcp *dhcp, struct kymo_interface *interface,
                     const struct kymo_datagram *datagram, const struct kymo_udp_message *message);

/* Sends requests that are due; takes the address away when its lease has run out. */
void kymo_dhcp_poll(struct kymo_dhcp *dhcp, struct kymo_interface *interface);

KYMO_C_END

#endif
