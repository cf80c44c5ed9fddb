/* SPDX-License-Identifier: MIT */
/* Common to the UART and the UARTE of Nordic's chips, for nrf_uart.c and nrf_uarte.c.
 * "nRF51 Series Reference Manual" 29.10; the same offsets in "nRF52840 Product Specification"
 * 6.34.9. Tasks are started by writing 1; an event reads as 1 until 0 is written to it. */
#ifndef KYMO_NRF_REGISTERS_H
#define KYMO_NRF_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "baud.h"
#include "mmio.h"

#define TASKS_STARTRX 0x000u
#define TASKS_STARTTX 0x008u
#define EVENTS_ERROR 0x124u
#define INTENSET 0x304u
#define INTENCLR 0x308u
#define ERRORSRC 0x480u /* write 1 to clear */
#define ENABLE 0x500u
#define PSEL_RTS 0x508u
#define PSEL_TXD 0x50cu
#define PSEL_CTS 0x510u
#define PSEL_RXD 0x514u
#define BAUDRATE 0x524u
#define CONFIG 0x56cu

#define NO_PIN 0xffffffffu

/* An event's bit in INTENSET and INTENCLR is its place among the events. */
#define INT_ERROR (1u << 9)

/* True, once for each time that the event has happened. */
static inline bool nrf_take_event(uintptr_t base, unsigned event) {
    if (mmio_get(base + event) == 0u) {
        return false;
    }
    mmio_put(base + event, 0u);
    return true;
}

/* True, once for each time that something received was lost or damaged. */
static inline bool nrf_take_error(uintptr_t base) {
    if (!nrf_take_event(base, EVENTS_ERROR)) {
        return false;
    }
    mmio_put(base + ERRORSRC, mmio_get(base + ERRORSRC));
    return true;
}

/* A line of a chip's table of rates: the true rate of a value. */
struct nrf_rate {
    uint32_t baud, value;
};

/* The value for BAUDRATE whose true rate is nearest to "baud"; 0 if it misses that by more than 3
 * %. Values between those of the table are not documented. */
static inline uint32_t nrf_rate_value(const struct nrf_rate *rates, uint32_t count, uint32_t baud) {
    uint32_t least = UINT32_MAX;
    uint32_t value = 0u;
    for (uint32_t i = 0u; i < count; i++) {
        const uint32_t rate = rates[i].baud;
        const uint32_t missed = rate < baud ? baud - rate : rate - baud;
        if (missed < least && kymo_baud_agrees(rate, baud)) {
            least = missed;
            value = rates[i].value;
        }
    }
    return value;
}

/* 8 data bits, no parity, 1 stop bit, no flow control; "rate" is for BAUDRATE. */
static inline void nrf_set_line(uintptr_t base, uint32_t transmit_pin, uint32_t receive_pin,
                                uint32_t rate) {
    mmio_put(base + PSEL_TXD, transmit_pin);
    mmio_put(base + PSEL_RXD, receive_pin);
    mmio_put(base + PSEL_RTS, NO_PIN);
    mmio_put(base + PSEL_CTS, NO_PIN);
    mmio_put(base + BAUDRATE, rate);
    mmio_put(base + CONFIG, 0u);
}

#endif
