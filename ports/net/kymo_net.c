/* SPDX-License-Identifier: MIT */
#include "kymo_net.h"

#include "net_bytes.h"
#include "net_icmp.h"
#include "net_tcp_output.h"

static void take_datagram(struct kymo_net *net, const struct kymo_datagram *datagram) {
    struct kymo_interface *interface = &net->interface;
    struct kymo_udp_message message;
    if (datagram->protocol == KYMO_IPV4_TCP && interface->address != 0u) {
        kymo_tcp_input(&net->tcp, datagram);
    } else if (datagram->protocol == KYMO_IPV4_ICMP && interface->address != 0u) {
        kymo_icmp_input(interface, datagram);
    } else if (datagram->protocol == KYMO_IPV4_UDP &&
               kymo_udp_parse(interface, datagram, &message) &&
               message.source_port == KYMO_DHCP_SERVER_PORT &&
               message.destination_port == KYMO_DHCP_CLIENT_PORT) {
        kymo_dhcp_input(&net->dhcp, interface, datagram, &message);
    } else {
        interface->counters.not_for_us++;
    }
}

static bool is_to_us(const struct kymo_interface *interface, const uint8_t *frame) {
    return (frame[0] & 1u) != 0u ||
           kymo_bytes_equal(frame, interface->link->mac, KYMO_NET_MAC_BYTES);
}

static void take_frame(struct kymo_net *net, const uint8_t *frame, size_t length) {
    struct kymo_interface *interface = &net->interface;
    struct kymo_datagram datagram;
    interface->counters.frames_in++;
    if (length < KYMO_ETHERNET_HEAD_BYTES || (frame[KYMO_NET_MAC_BYTES] & 1u) != 0u) {
        interface->counters.malformed++;
        return;
    }
    const uint32_t type = kymo_get16(frame + 2u * KYMO_NET_MAC_BYTES);
    if (!is_to_us(interface, frame) ||
        (type != KYMO_ETHERTYPE_ARP && type != KYMO_ETHERTYPE_IPV4)) {
        interface->counters.not_for_us++;
    } else if (type == KYMO_ETHERTYPE_ARP) {
        kymo_arp_input(interface, frame, length - KYMO_ETHERNET_HEAD_BYTES);
    } else if (kymo_ipv4_parse(interface, frame, length, &datagram)) {
        take_datagram(net, &datagram);
    }
}

/* A connection does not outlive the address that it was made with. */
static void follow_address(struct kymo_net *net) {
    if (net->address == net->interface.address) {
        return;
    }
    net->address = net->interface.address;
    kymo_tcp_connection_end(&net->tcp.connection);
    net->tcp.listener.pending = false;
    if (net->address != 0u) {
        kymo_arp_announce(&net->arp, &net->interface);
    }
}

static void take_frames(struct kymo_net *net) {
    const struct kymo_net_link *link = net->interface.link;
    for (unsigned i = 0u; i < KYMO_NET_FRAMES_PER_POLL; i++) {
        size_t length = 0u;
        const uint8_t *frame = link->receive(link->context, &length);
        if (frame == NULL) {
            return;
        }
        take_frame(net, frame, length);
        link->release(link->context);
        follow_address(net); /* it may have come with this frame, and a request with the next one */
    }
}

void kymo_net_poll(struct kymo_net *net) {
    net->interface.now_ms = net->now_ms();
    kymo_dhcp_poll(&net->dhcp, &net->interface);
    follow_address(net);
    take_frames(net);
    if (net->address != 0u) {
        kymo_arp_poll(&net->arp, &net->interface);
        if (net->announce != NULL) {
            net->announce(&net->beacon, &net->interface, net->name, net->tcp.connection.port);
        }
        kymo_tcp_poll(&net->tcp);
    }
}

/* ---- the transport ---- */

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_net *net = context;
    struct kymo_tcp_connection *connection = &net->tcp.connection;
    if (!net->polled) {
        kymo_net_poll(net);
    }
    net->polled = false;
    if (connection->state != KYMO_TCP_OPEN || connection->closing || length == 0u) {
        return 0u;
    }
    if (kymo_tcp_connection_unsent(connection) == 0u) {
        connection->waiting_since_ms = net->interface.now_ms;
    }
    if (net->connection != net->interface.counters.connections) {
        net->connection = net->interface.counters.connections;
        kymo_whole_packets_restart(&net->frames);
    }
    size_t taken = kymo_whole_packets_skip(&net->frames, bytes, length);
    taken += kymo_fifo_put(&connection->out, bytes + taken, length - taken);
    kymo_whole_packets_taken(&net->frames, bytes, taken);
    kymo_tcp_output(connection);
    return taken;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_net *net = context;
    struct kymo_fifo *in = &net->tcp.connection.in;
    if (in->count == 0u) {
        kymo_net_poll(net);
    }
    net->polled = true;
    const size_t count = kymo_fifo_look(in, 0u, bytes, length);
    kymo_fifo_drop(in, count);
    return count;
}

void kymo_net_close(struct kymo_net *net) {
    net->tcp.connection.closing |= kymo_net_connected(net);
}

bool kymo_net_idle(const struct kymo_net *net) {
    const struct kymo_tcp_connection *connection = &net->tcp.connection;
    return connection->state != KYMO_TCP_OPEN ||
           (connection->out.count == 0u && (!connection->closing || connection->finished));
}

void kymo_net_init(struct kymo_net *net, const struct kymo_net_config *config) {
    kymo_put_zeros((uint8_t *)net, sizeof *net); /* in place: it is too large for a small stack */
    net->now_ms = config->now_ms;
    net->name = config->name;
    net->announce = config->announce;
    net->interface.link = config->link;
    net->interface.address = config->address;
    net->interface.now_ms = config->now_ms();
    net->beacon.sent_ms = net->interface.now_ms - KYMO_NET_BEACON_MS;
    kymo_tcp_connection_init(&net->tcp.connection, &net->interface,
                             config->port != 0u ? config->port : KYMO_NET_PORT);
    kymo_put_bytes(net->tcp.listener.secret, config->secret, KYMO_TCP_SECRET_BYTES);
    if (config->address == 0u) {
        const uint32_t transaction = kymo_get32(config->secret) ^ kymo_get32(config->link->mac + 2);
        kymo_dhcp_start(&net->dhcp, &net->interface, config->name, transaction);
    }
    kymo_transport_set(&net->transport, write_bytes, read_bytes, net);
    net->transport.network = true;
}
