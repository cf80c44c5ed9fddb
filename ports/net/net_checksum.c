/* SPDX-License-Identifier: MIT */
#include "net_checksum.h"

#include "net_bytes.h"

uint32_t kymo_checksum_add(uint32_t sum, const uint8_t *bytes, size_t count) {
    size_t i = 0u;
    for (; i + 1u < count; i += 2u) {
        sum += kymo_get16(bytes + i);
    }
    return i < count ? sum + ((uint32_t)bytes[i] << 8) : sum;
}

uint32_t kymo_checksum_pseudo(uint32_t source, uint32_t destination, uint8_t protocol,
                              size_t length) {
    return (source >> 16) + (source & 0xffffu) + (destination >> 16) + (destination & 0xffffu) +
           protocol + (uint32_t)length;
}

uint16_t kymo_checksum_end(uint32_t sum) {
    sum = (sum >> 16) + (sum & 0xffffu);
    sum += sum >> 16;
    return (uint16_t)~sum;
}
