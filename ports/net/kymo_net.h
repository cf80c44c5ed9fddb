/* SPDX-License-Identifier: MIT */
/* The board on an Ethernet network: a TCP server for one host, as a transport for kymo_init().
 * For boards that have no network stack of their own; README.md says what it does and what it
 * costs.
 *
 * Nothing here waits or runs in the background: frames are taken and sent in
 * kymo_net_poll(), and in the transport's calls, which poll as well, so firmware that calls
 * kymo_drain() often enough need not call anything else. All calls belong to one context at a
 * time; do not call any from interrupts if others are made outside of them. */
#ifndef KYMO_NET_H
#define KYMO_NET_H

#include "kymo/transport.h"
#include "net_arp.h"
#include "net_beacon.h"
#include "net_dhcp.h"
#include "net_tcp.h"
#include "whole_packets.h"

KYMO_C_BEGIN

/* Frames received that one poll takes at most: it ends in bounded time whatever is sent to the
 * board. */
#define KYMO_NET_FRAMES_PER_POLL 4

/* An IPv4 address as a number: KYMO_NET_ADDRESS(192, 168, 0, 7). */
#define KYMO_NET_ADDRESS(a, b, c, d)                                                               \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* Fill it in for kymo_net_init(); it need not outlive the call, but everything it points to must. */
struct kymo_net_config {
    const struct kymo_net_link *link; /* the driver of the interface */
    /* Milliseconds from any beginning, wrapping at 2^32. */
    uint32_t (*now_ms)(void);
    uint32_t address; /* 0: by DHCP */
    uint16_t port;    /* to listen on; 0 means KYMO_NET_PORT */
    const char *name; /* for the DHCP server and the announcement; may be NULL */
    kymo_beacon_poll
        *announce; /* kymo_net_announce: hostlink finds the board by itself; may be NULL */
    /* Bytes that an attacker cannot know and that differ at every start: from a random number
     * generator, or else a chip's id mixed with a clock. The sequence numbers of connections are
     * made from it. */
    uint8_t secret[KYMO_TCP_SECRET_BYTES];
};

/* Owned by the caller, in static memory; the fields are private. */
struct kymo_net {
    struct kymo_interface interface;
    struct kymo_arp arp;
    struct kymo_dhcp dhcp;
    struct kymo_beacon beacon;
    struct kymo_tcp tcp;
    uint32_t (*now_ms)(void);
    const char *name;
    kymo_beacon_poll *announce;
    uint32_t address;    /* that the connection and ARP know of */
    uint32_t connection; /* the one that bytes were last taken for, by its count */
    bool polled;         /* by "read", so that "write" need not */
    struct kymo_whole_packets frames;
    struct kymo_transport transport;
};

/* Starts the stack on an interface that is up. */
void kymo_net_init(struct kymo_net *net, const struct kymo_net_config *config);

/* Takes frames, and sends those that are due. Bounded: KYMO_NET_FRAMES_PER_POLL frames in, and as
 * many out as the driver has buffers for. Call it at least every 50 ms or so where kymo_drain() is
 * not called. */
void kymo_net_poll(struct kymo_net *net);

/* For kymo_init(); valid as long as *net. It takes nothing while no host is connected, and marks
 * itself as a network. When another host connects, bytes that the previous one did not get are
 * dropped, and the new one's bytes begin with a frame. */
static inline const struct kymo_transport *kymo_net_transport(const struct kymo_net *net) {
    return &net->transport;
}

/* Ends the connection once all that the transport took has arrived. The next one may come. */
void kymo_net_close(struct kymo_net *net);

/* True when there is nothing that still has to arrive: no connection, or one with nothing on its
 * way. */
bool kymo_net_idle(const struct kymo_net *net);

/* True while a host is connected. */
static inline bool kymo_net_connected(const struct kymo_net *net) {
    return net->tcp.connection.state == KYMO_TCP_OPEN;
}

/* The board's address; 0 while it has none. */
static inline uint32_t kymo_net_address(const struct kymo_net *net) {
    return net->interface.address;
}

/* The counts since the start. */
static inline const struct kymo_net_counts *kymo_net_counters(const struct kymo_net *net) {
    return &net->interface.counters;
}

KYMO_C_END

#endif
