/* SPDX-License-Identifier: MIT */
#include "stm32_usart.h"

#include "baud.h"
#include "each_byte.h"
#include "mmio.h"

/* Offsets: RM0090 30.6.8, RM0351 40.8.12. Where the old layout takes the errors away by a read of the
 * data register, the new one has ICR for it. */
struct kymo_stm32_usart_registers {
    uint8_t status, receive, transmit, clear, baud, control1, control2, control3;
    uint16_t enable; /* UE in CR1 */
};

#define NO_REGISTER 0xffu

static const struct kymo_stm32_usart_registers layouts[] = {
    [KYMO_STM32_USART_OLD] = {0x00u, 0x04u, 0x04u, NO_REGISTER, 0x08u, 0x0cu, 0x10u, 0x14u,
                              1u << 13},
    [KYMO_STM32_USART_NEW] = {0x1cu, 0x24u, 0x28u, 0x20u, 0x0cu, 0x00u, 0x04u, 0x08u, 1u},
};

/* SR and ISR: RM0090 30.6.1, RM0351 40.8.8; the same places. ICR has the errors where ISR has them. */
#define STATUS_ERRORS 0x0fu /* parity, framing, noise, overrun */
#define STATUS_RXNE 0x20u
#define STATUS_TC 0x40u
#define STATUS_TXE 0x80u
/* CR1: RM0090 30.6.4, RM0351 40.8.1; the same places, except UE. */
#define CR1_RE 0x04u
#define CR1_TE 0x08u
#define CR1_RXNEIE 0x20u
#define CR1_TXEIE 0x80u

/* BRR holds clock / baud with 16 samples a bit: RM0090 30.3.4, RM0351 40.5.4. */
static const struct kymo_baud_generator generator = {.clocks = 1u, .least = 16u, .most = 0xffffu};

static uint32_t get(const struct kymo_stm32_usart *usart, uint8_t offset) {
    return mmio_get(usart->base + offset);
}

static void put(const struct kymo_stm32_usart *usart, uint8_t offset, uint32_t value) {
    mmio_put(usart->base + offset, value);
}

static void control(struct kymo_stm32_usart *usart, uint32_t value) {
    if (value != usart->control) {
        usart->control = value;
        put(usart, usart->registers->control1, value);
    }
}

static bool has_room(void *context) {
    const struct kymo_stm32_usart *usart = context;
    return (get(usart, usart->registers->status) & STATUS_TXE) != 0u;
}

static void put_byte(void *context, uint8_t byte) {
    const struct kymo_stm32_usart *usart = context;
    put(usart, usart->registers->transmit, byte);
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_stm32_usart *usart = context;
    const size_t written = kymo_write_each(usart, bytes, length, has_room, put_byte);
    /* Something is on its way that will make room: see kymo_stm32_usart_cause(). */
    if (written > 0u && (usart->wanted & KYMO_STM32_USART_ON_TRANSMIT) != 0u) {
        control(usart, usart->control | CR1_TXEIE);
    }
    return written;
}

/* An overrun may be reported without a byte; it too must be taken away, or its interrupt stays. In the
 * old layout that is done by reading the status, then the data (RM0090 30.6.1). */
static uint32_t take_errors(struct kymo_stm32_usart *usart) {
    const uint32_t status = get(usart, usart->registers->status);
    if ((status & STATUS_ERRORS) != 0u) {
        usart->receive_errors++;
        if (usart->registers->clear != NO_REGISTER) {
            put(usart, usart->registers->clear, STATUS_ERRORS);
        } else if ((status & STATUS_RXNE) == 0u) {
            (void)get(usart, usart->registers->receive);
        }
    }
    return status;
}

static bool take_byte(void *context, uint8_t *byte) {
    struct kymo_stm32_usart *usart = context;
    if ((take_errors(usart) & STATUS_RXNE) == 0u) {
        return false;
    }
    *byte = (uint8_t)get(usart, usart->registers->receive);
    return true;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    return kymo_read_each(context, bytes, length, take_byte);
}

bool kymo_stm32_usart_init(struct kymo_stm32_usart *usart,
                           const struct kymo_stm32_usart_config *config) {
    const uint32_t divisor = kymo_baud_divisor(&generator, config->clock_hz, config->baud);
    if (divisor == 0u) {
        return false;
    }
    usart->base = config->base;
    usart->registers = &layouts[config->layout];
    usart->control = 0u;
    usart->wanted = 0u;
    usart->receive_errors = 0u;
    kymo_transport_set(&usart->transport, write_bytes, read_bytes, usart);

    /* The new layout takes settings only while UE is 0 (RM0351 40.8.1 to 40.8.4). */
    put(usart, usart->registers->control1, 0u);
    put(usart, usart->registers->control2, 0u);
    put(usart, usart->registers->control3, 0u);
    put(usart, usart->registers->baud, divisor);
    control(usart, usart->registers->enable | CR1_TE | CR1_RE);
    return true;
}

bool kymo_stm32_usart_idle(const struct kymo_stm32_usart *usart) {
    return (get(usart, usart->registers->status) & STATUS_TC) != 0u;
}

void kymo_stm32_usart_interrupts(struct kymo_stm32_usart *usart, unsigned which) {
    usart->wanted = which;
    control(usart, usart->registers->enable | CR1_TE | CR1_RE |
                       kymo_uart_causes(which, CR1_RXNEIE, CR1_TXEIE));
}

/* An empty data register stays a cause for as long as there is nothing to send. So it is switched off when
 * it has been reported, and on again by the next write. */
unsigned kymo_stm32_usart_cause(struct kymo_stm32_usart *usart) {
    const uint32_t status = get(usart, usart->registers->status);
    if ((usart->control & CR1_RXNEIE) != 0u && (status & (STATUS_RXNE | STATUS_ERRORS)) != 0u) {
        return KYMO_STM32_USART_ON_RECEIVE;
    }
    if ((usart->control & CR1_TXEIE) != 0u && (status & STATUS_TXE) != 0u) {
        control(usart, usart->control & ~CR1_TXEIE);
        return KYMO_STM32_USART_ON_TRANSMIT;
    }
    return 0u;
}
