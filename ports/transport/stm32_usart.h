/* SPDX-License-Identifier: MIT */
/* The USARTs and UARTs of STM32 chips as a transport: never waits, by polling or with interrupts.
 *
 * Two layouts of the same registers exist:
 *   KYMO_STM32_USART_OLD  F1, F2, F4, L1: "RM0090 Reference manual STM32F405/415, ...", chapter 30.6
 *   KYMO_STM32_USART_NEW  F0, F3, F7, G0, G4, H7, L0, L4, L5, U5, WB, WL: "RM0351 Reference manual
 *                    STM32L47xxx, ...", chapter 40.8; used without its FIFO
 * Clocks, pins and the interrupt controller: the board sets them up. */
#ifndef KYMO_STM32_USART_H
#define KYMO_STM32_USART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

KYMO_C_BEGIN

enum kymo_stm32_usart_layout { KYMO_STM32_USART_OLD, KYMO_STM32_USART_NEW };

/* How the USART is wired. Fill it in for kymo_stm32_usart_init(); it need not outlive the call. */
struct kymo_stm32_usart_config {
    uintptr_t base;
    enum kymo_stm32_usart_layout layout;
    uint32_t clock_hz; /* of the bus it is on, or of the kernel clock chosen for it */
    uint32_t baud;     /* from clock_hz / 65535 to clock_hz / 16 */
};

struct kymo_stm32_usart_registers; /* offsets and bits in which the layouts differ */

/* One USART. Owned by the caller; the fields are private to the driver. */
struct kymo_stm32_usart {
    uintptr_t base;
    const struct kymo_stm32_usart_registers *registers;
    uint32_t control;        /* the value of CR1 */
    unsigned wanted;         /* STM32_USART_ON_... */
    uint32_t receive_errors; /* received bytes lost or damaged: overrun, noise, framing, parity */
    struct kymo_transport transport;
};

/* Sets the USART up: 8 data bits, no parity, 1 stop bit, no flow control, interrupts off. False if no divisor gives the
 * baud rate to within 3 % (baud.h); no register is changed then. */
bool kymo_stm32_usart_init(struct kymo_stm32_usart *usart,
                           const struct kymo_stm32_usart_config *config);

/* The transport for kymo_init(); valid as long as *usart. Its calls belong to one context at a
 * time. */
static inline const struct kymo_transport *kymo_stm32_usart_transport(
    const struct kymo_stm32_usart *usart) {
    return &usart->transport;
}

/* True when the last byte has left the wire: safe to reset, sleep or change the clock. */
bool kymo_stm32_usart_idle(const struct kymo_stm32_usart *usart);

/* Interrupts that the USART raises; any combination, 0 = none (polled, as after init). */
#define KYMO_STM32_USART_ON_RECEIVE 1u /* a byte has arrived */
/* There is room: call kymo_drain() until it returns false. The driver disables it after reporting it, and enables it
 * again at the next write: kymo_drain() says how to restart the line after silence. */
#define KYMO_STM32_USART_ON_TRANSMIT 2u
void kymo_stm32_usart_interrupts(struct kymo_stm32_usart *usart, unsigned which);

/* Clears and returns one cause (STM32_USART_ON_...), or 0 if no cause is left. For an
 * interrupt handler, which calls it until it returns 0; on KYMO_STM32_USART_ON_RECEIVE it must read
 * (kymo_drain() does), otherwise the cause stays set: mask it while another context calls kymo_drain(). Same
 * context as the transport's calls. */
unsigned kymo_stm32_usart_cause(struct kymo_stm32_usart *usart);

KYMO_C_END

#endif
