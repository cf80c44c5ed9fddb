/* SPDX-License-Identifier: MIT */
/* Counters of the network stack. Each wraps. */
#ifndef KYMO_NET_COUNTERS_H
#define KYMO_NET_COUNTERS_H

#include <stdint.h>

struct kymo_net_counts {
    uint32_t frames_in;
    uint32_t frames_out;
    uint32_t no_buffer; /* frames without room at the driver; they are sent again or are answers */

    /* Frames received and dropped. */
    uint32_t not_for_us;       /* other addresses, other protocols, other ports */
    uint32_t malformed;        /* cut short, or lengths that do not fit each other */
    uint32_t bad_checksum;     /* of IPv4, ICMP, UDP or TCP */
    uint32_t bad_source;       /* from an address that no host can have, or from our own */
    uint32_t fragments;        /* pieces of a datagram: there is no memory to put them together */
    uint32_t address_conflict; /* another host said by ARP that it has our address */

    /* TCP. */
    uint32_t connections;        /* established */
    uint32_t aborted;            /* ended by a reset, or as the other end was silent for too long */
    uint32_t refused;            /* requests for a second connection, answered with a reset */
    uint32_t half_open_replaced; /* requests that another one followed before they were completed */
    uint32_t stray_segments; /* for no connection that is or was asked for, answered with a reset */
    uint32_t out_of_window;  /* outside of the connection's window; answered, not obeyed */
    uint32_t out_of_order;   /* after a gap: dropped, to be sent again */
    uint32_t challenges; /* resets, requests and acknowledgements that may be forged: RFC 5961 */
    uint32_t retransmissions;  /* segments sent again */
    uint32_t timeouts;         /* of the retransmission timer */
    uint32_t fast_retransmits; /* losses seen by duplicate acknowledgements */
    uint32_t window_probes;
    uint32_t keep_alives;
};

#endif
