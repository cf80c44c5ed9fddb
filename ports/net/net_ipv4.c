/* SPDX-License-Identifier: MIT */
#include "net_ipv4.h"

#include "net_bytes.h"
#include "net_checksum.h"

/* RFC 791 section 3.1 */
enum {
    VERSION_AND_LENGTH = 0, /* 4 bits each, the length in words of 32 bits */
    TOTAL_LENGTH = 2,
    IDENTIFICATION = 4,
    FRAGMENT = 6,
    TIME_TO_LIVE = 8,
    PROTOCOL = 9,
    CHECKSUM = 10,
    SOURCE = 12,
    DESTINATION = 16,
};
#define VERSION_4 4u
#define FRAGMENT_MORE_OR_OFFSET 0x3fffu
#define TIME_TO_LIVE_OUT 64u

/* False for addresses of no host (RFC 1122 section 3.2.1.3): this network, loopback, and from
 * 224.0.0.0 on. */
static bool is_host(uint32_t address) {
    const uint32_t first = address >> 24;
    return first != 0u && first != 127u && first < 224u;
}

static bool is_ours(const struct kymo_interface *interface, const struct kymo_datagram *datagram) {
    if (interface->address == 0u) {
        return !datagram->to_all ||
               datagram->destination == KYMO_IPV4_BROADCAST; /* an answer by DHCP */
    }
    return datagram->destination == interface->address ||
           datagram->destination == KYMO_IPV4_BROADCAST;
}

/* The header is whole, and fits the bytes that arrived. */
static bool is_sound(struct kymo_interface *interface, const uint8_t *ip, size_t present) {
    if (present < KYMO_IPV4_HEAD_BYTES || ip[VERSION_AND_LENGTH] >> 4 != VERSION_4) {
        interface->counters.malformed++;
        return false;
    }
    const size_t head = (ip[VERSION_AND_LENGTH] & 15u) * 4u;
    const size_t total = kymo_get16(ip + TOTAL_LENGTH);
    if (head < KYMO_IPV4_HEAD_BYTES || total < head || total > present) {
        interface->counters.malformed++;
        return false;
    }
    if (kymo_checksum_end(kymo_checksum_add(0u, ip, head)) != 0u) {
        interface->counters.bad_checksum++;
        return false;
    }
    if ((kymo_get16(ip + FRAGMENT) & FRAGMENT_MORE_OR_OFFSET) != 0u) {
        interface->counters.fragments++;
        return false;
    }
    return true;
}

bool kymo_ipv4_parse(struct kymo_interface *interface, const uint8_t *frame, size_t length,
                     struct kymo_datagram *datagram) {
    const uint8_t *ip = frame + KYMO_ETHERNET_HEAD_BYTES;
    if (!is_sound(interface, ip, length - KYMO_ETHERNET_HEAD_BYTES)) {
        return false;
    }
    const size_t head = (ip[VERSION_AND_LENGTH] & 15u) * 4u;
    kymo_put_zeros(datagram, sizeof *datagram);
    datagram->source.address = kymo_get32(ip + SOURCE);
    datagram->destination = kymo_get32(ip + DESTINATION);
    datagram->to_all = (frame[0] & 1u) != 0u;
    datagram->protocol = ip[PROTOCOL];
    datagram->payload = ip + head;
    datagram->length = kymo_get16(ip + TOTAL_LENGTH) - head;
    datagram->to_all |= datagram->destination == KYMO_IPV4_BROADCAST;
    kymo_put_bytes(datagram->source.mac, frame + KYMO_NET_MAC_BYTES, KYMO_NET_MAC_BYTES);
    if (!is_host(datagram->source.address) || datagram->source.address == interface->address) {
        interface->counters.bad_source++;
        return false;
    }
    if (!is_ours(interface, datagram)) {
        interface->counters.not_for_us++;
        return false;
    }
    return true;
}

/* Only a router that cuts the datagram into fragments needs the identification, which must then
 * differ from that of earlier datagrams (RFC 6864): the number of frames sent does. */
void kymo_ipv4_send(struct kymo_interface *interface, uint8_t *frame,
                    const struct kymo_ipv4_peer *to, uint8_t protocol, size_t length) {
    uint8_t *ip = frame + KYMO_ETHERNET_HEAD_BYTES;
    const size_t total = KYMO_IPV4_HEAD_BYTES + length;
    kymo_put_zeros(ip, KYMO_IPV4_HEAD_BYTES);
    ip[VERSION_AND_LENGTH] = VERSION_4 << 4 | KYMO_IPV4_HEAD_BYTES / 4u;
    kymo_put16(ip + TOTAL_LENGTH, (uint32_t)total);
    kymo_put16(ip + IDENTIFICATION, interface->counters.frames_out);
    ip[TIME_TO_LIVE] = TIME_TO_LIVE_OUT;
    ip[PROTOCOL] = protocol;
    kymo_put32(ip + SOURCE, interface->address);
    kymo_put32(ip + DESTINATION, to->address);
    kymo_put16(ip + CHECKSUM, kymo_checksum_end(kymo_checksum_add(0u, ip, KYMO_IPV4_HEAD_BYTES)));
    kymo_interface_send(interface, frame, to->mac, KYMO_ETHERTYPE_IPV4, total);
}
