/* SPDX-License-Identifier: MIT */
/* The checksum of IPv4, ICMP, UDP and TCP: RFC 1071. */
#ifndef KYMO_NET_CHECKSUM_H
#define KYMO_NET_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Adds bytes to a sum that began as 0. Only the last piece of a message may have an odd length.
 * At most 64 KiB in all. */
uint32_t kymo_checksum_add(uint32_t sum, const uint8_t *bytes, size_t count);

/* The pseudo header of UDP and TCP: RFC 768, RFC 9293 section 3.1. */
uint32_t kymo_checksum_pseudo(uint32_t source, uint32_t destination, uint8_t protocol,
                              size_t length);

/* The value for the header; over a message that holds its checksum it is 0. */
uint16_t kymo_checksum_end(uint32_t sum);

#endif
