/* SPDX-License-Identifier: MIT */
/* ICMP: answers echo requests (ping), nothing else. RFC 792, RFC 1122 section 3.2.2.6. Messages
 * about errors are not believed: anybody can send them. */
#ifndef KYMO_NET_ICMP_H
#define KYMO_NET_ICMP_H

#include "net_ipv4.h"

void kymo_icmp_input(struct kymo_interface *interface, const struct kymo_datagram *datagram);

#endif
