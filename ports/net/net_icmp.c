/* SPDX-License-Identifier: MIT */
#include "net_icmp.h"

#include "net_bytes.h"
#include "net_checksum.h"

/* RFC 792, "Echo or Echo Reply Message" */
enum { TYPE = 0, CODE = 1, CHECKSUM = 2, ECHO_HEAD_BYTES = 8 };
#define TYPE_ECHO_REPLY 0u
#define TYPE_ECHO 8u

void kymo_icmp_input(struct kymo_interface *interface, const struct kymo_datagram *datagram) {
    const uint8_t *in = datagram->payload;
    if (datagram->length < ECHO_HEAD_BYTES || datagram->length > KYMO_IPV4_MOST_BYTES) {
        interface->counters.malformed++;
        return;
    }
    if (kymo_checksum_end(kymo_checksum_add(0u, in, datagram->length)) != 0u) {
        interface->counters.bad_checksum++;
        return;
    }
    if (in[TYPE] != TYPE_ECHO || in[CODE] != 0u || datagram->to_all) {
        interface->counters.not_for_us++;
        return;
    }
    uint8_t *frame = kymo_interface_claim(interface);
    if (frame == NULL) {
        return;
    }
    uint8_t *out = frame + KYMO_IPV4_PAYLOAD_AT;
    kymo_put_bytes(out, in, datagram->length);
    out[TYPE] = TYPE_ECHO_REPLY;
    kymo_put16(out + CHECKSUM, 0u);
    kymo_put16(out + CHECKSUM, kymo_checksum_end(kymo_checksum_add(0u, out, datagram->length)));
    kymo_ipv4_send(interface, frame, &datagram->source, KYMO_IPV4_ICMP, datagram->length);
}
