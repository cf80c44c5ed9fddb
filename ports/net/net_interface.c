/* SPDX-License-Identifier: MIT */
#include "net_interface.h"

#include "net_bytes.h"

const uint8_t kymo_ethernet_broadcast[KYMO_NET_MAC_BYTES] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

uint8_t *kymo_interface_claim(struct kymo_interface *interface) {
    uint8_t *frame = interface->link->claim(interface->link->context);
    if (frame == NULL) {
        interface->counters.no_buffer++;
    }
    return frame;
}

void kymo_interface_send(struct kymo_interface *interface, uint8_t *frame, const uint8_t *to,
                         uint32_t type, size_t length) {
    kymo_put_bytes(frame, to, KYMO_NET_MAC_BYTES);
    kymo_put_bytes(frame + 6, interface->link->mac, KYMO_NET_MAC_BYTES);
    kymo_put16(frame + 12, type);
    length += KYMO_ETHERNET_HEAD_BYTES;
    if (length < KYMO_ETHERNET_LEAST_BYTES) {
        kymo_put_zeros(frame + length, KYMO_ETHERNET_LEAST_BYTES - length);
        length = KYMO_ETHERNET_LEAST_BYTES;
    }
    interface->link->send(interface->link->context, length);
    interface->counters.frames_out++;
}
