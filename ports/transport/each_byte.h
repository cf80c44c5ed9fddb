/* SPDX-License-Identifier: MIT */
/* What the UARTs that take and give a byte at a time have in common: loops as far as the UART goes, never waiting, and
 * the choice of interrupts. */
#ifndef KYMO_EACH_BYTE_H
#define KYMO_EACH_BYTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gives bytes to the UART while it has room; returns how many. */
static inline size_t kymo_write_each(void *uart, const uint8_t *bytes, size_t length,
                                     bool (*has_room)(void *uart),
                                     void (*put_byte)(void *uart, uint8_t byte)) {
    size_t written = 0u;
    while (written < length && has_room(uart)) {
        put_byte(uart, bytes[written++]);
    }
    return written;
}

/* Takes bytes while "take_byte" gets one; returns how many. */
static inline size_t kymo_read_each(void *uart, uint8_t *bytes, size_t length,
                                    bool (*take_byte)(void *uart, uint8_t *byte)) {
    size_t received = 0u;
    while (received < length && take_byte(uart, &bytes[received])) {
        received++;
    }
    return received;
}

/* Bits for the interrupts of "which": 1 and 2, as each driver's ..._ON_RECEIVE and ..._ON_TRANSMIT are. */
static inline uint32_t kymo_uart_causes(unsigned which, uint32_t receive, uint32_t transmit) {
    return ((which & 1u) != 0u ? receive : 0u) | ((which & 2u) != 0u ? transmit : 0u);
}

#endif
