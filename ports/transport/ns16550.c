/* SPDX-License-Identifier: MIT */
#include "ns16550.h"

#include "baud.h"
#include "each_byte.h"

/* Register numbers: PC16550D data sheet, table II "Summary of Registers". */
enum {
    RBR = 0, /* receiver buffer (read) */
    THR = 0, /* transmitter holding (write) */
    DLL = 0, /* divisor latch, low byte (DLAB = 1) */
    IER = 1, /* interrupt enable */
    DLM = 1, /* divisor latch, high byte (DLAB = 1) */
    IIR = 2, /* interrupt identification (read) */
    FCR = 2, /* FIFO control (write) */
    LCR = 3, /* line control */
    MCR = 4, /* modem control */
    LSR = 5, /* line status */
    MSR = 6, /* modem status */
};

/* 8.1 line control */
#define LCR_8N1 0x03u
#define LCR_DLAB 0x80u
/* 8.4 line status. Reading it clears the error bits. */
#define LSR_DR 0x01u
#define LSR_OE 0x02u
#define LSR_PE 0x04u
#define LSR_FE 0x08u
#define LSR_BI 0x10u
#define LSR_THRE 0x20u /* with FIFOs: the transmit FIFO is empty */
#define LSR_TEMT 0x40u
/* 8.5 FIFO control: on, both cleared, receive trigger at 8 bytes */
#define FCR_ENABLE 0x01u
#define FCR_CLEAR 0x06u
#define FCR_TRIGGER_8 0x80u
/* 8.6 interrupt identification */
#define IIR_NONE 0x01u
#define IIR_CAUSE 0x0fu
#define IIR_MODEM 0x00u
#define IIR_TRANSMIT 0x02u
#define IIR_RECEIVE 0x04u
#define IIR_LINE 0x06u
#define IIR_TIMEOUT 0x0cu
#define IIR_FIFO 0xc0u /* both bits: the FIFOs are on and work */
/* 8.7 interrupt enable: line status comes with received data, to count its errors */
#define IER_RECEIVE 0x05u
#define IER_TRANSMIT 0x02u
/* 8.8 modem control */
#define MCR_DTR_RTS_OUT2 0x0bu

static uint8_t memory_get_1(uintptr_t address) { return *(const volatile uint8_t *)address; }
static void memory_put_1(uintptr_t address, uint8_t value) { *(volatile uint8_t *)address = value; }
static uint8_t memory_get_4(uintptr_t address) {
    return (uint8_t) * (const volatile uint32_t *)address;
}
static void memory_put_4(uintptr_t address, uint8_t value) {
    *(volatile uint32_t *)address = value;
}

static uint8_t get(const struct kymo_ns16550 *uart, unsigned reg) {
    return uart->get(uart->base + (uintptr_t)reg * uart->stride);
}

static void put(const struct kymo_ns16550 *uart, unsigned reg, unsigned value) {
    uart->put(uart->base + (uintptr_t)reg * uart->stride, (uint8_t)value);
}

/* Every look at the line status goes through here, because it clears the error bits. */
static uint8_t line_status(struct kymo_ns16550 *uart) {
    const uint8_t status = get(uart, LSR);
    if ((status & (LSR_OE | LSR_PE | LSR_FE | LSR_BI)) != 0u) {
        uart->receive_errors++;
    }
    return status;
}

/* THRE says that the FIFO is empty, nothing says how full it is (8.12). So its free room is counted
 * down from the last time it was seen empty: never more than there is, as the UART only removes. */
static bool has_room(void *context) {
    struct kymo_ns16550 *uart = context;
    if (uart->room == 0u && (line_status(uart) & LSR_THRE) != 0u) {
        uart->room = uart->fifo_bytes;
    }
    return uart->room != 0u;
}

static void put_byte(void *context, uint8_t byte) {
    struct kymo_ns16550 *uart = context;
    put(uart, THR, byte);
    uart->room--;
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    return kymo_write_each(context, bytes, length, has_room, put_byte);
}

static bool has_received(struct kymo_ns16550 *uart) { return (line_status(uart) & LSR_DR) != 0u; }

static bool take_byte(void *context, uint8_t *byte) {
    struct kymo_ns16550 *uart = context;
    if (!has_received(uart)) {
        return false;
    }
    *byte = get(uart, RBR);
    return true;
}

static __attribute__((noinline)) size_t read_each(void *context, uint8_t *bytes, size_t length) {
    return kymo_read_each(context, bytes, length, take_byte);
}

/* Mostly there is nothing, which needs few registers. */
static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    return has_received(context) ? read_each(context, bytes, length) : 0u;
}

/* 8.3: baud = clock / (16 * divisor), which has 16 bits. */
static const struct kymo_baud_generator generator = {.clocks = 16u, .least = 1u, .most = 0xffffu};

static void set_line(const struct kymo_ns16550 *uart, uint32_t divisor) {
    put(uart, LCR, LCR_DLAB | LCR_8N1);
    put(uart, DLL, divisor & 0xffu);
    put(uart, DLM, divisor >> 8);
    put(uart, LCR, LCR_8N1);
}

bool kymo_ns16550_init(struct kymo_ns16550 *uart, const struct kymo_ns16550_config *config) {
    const uint32_t divisor =
        config->baud != 0u ? kymo_baud_divisor(&generator, config->clock_hz, config->baud) : 0u;
    const bool wide = config->access_bytes == 4u;
    if ((config->baud != 0u && divisor == 0u) || (!wide && config->access_bytes > 1u)) {
        return false;
    }
    uart->base = config->base;
    uart->stride = config->stride != 0u ? config->stride : 1u;
    uart->get = config->get != NULL ? config->get : wide ? memory_get_4 : memory_get_1;
    uart->put = config->put != NULL ? config->put : wide ? memory_put_4 : memory_put_1;
    uart->receive_errors = 0u;
    uart->room = 0u;
    uart->enabled = 0u;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);

    put(uart, IER, 0u);
    if (divisor != 0u) {
        set_line(uart, divisor);
    }
    put(uart, FCR, FCR_ENABLE | FCR_CLEAR | FCR_TRIGGER_8);
    put(uart, MCR, MCR_DTR_RTS_OUT2);
    uart->fifo_bytes = 1u;
    if ((get(uart, IIR) & IIR_FIFO) == IIR_FIFO) {
        uart->fifo_bytes = config->fifo_bytes != 0u ? config->fifo_bytes : 16u;
    }
    return true;
}

bool kymo_ns16550_idle(struct kymo_ns16550 *uart) { return (line_status(uart) & LSR_TEMT) != 0u; }

/* 8.7: switched on, it is raised at once if the transmit FIFO is empty. */
static void raise_again(void *context) {
    const struct kymo_ns16550 *uart = context;
    put(uart, IER, uart->enabled & ~IER_TRANSMIT);
    put(uart, IER, uart->enabled);
}

void kymo_ns16550_interrupts(struct kymo_ns16550 *uart, unsigned which) {
    const bool transmit = (which & KYMO_NS16550_ON_TRANSMIT) != 0u;
    uart->enabled = (uint8_t)kymo_uart_causes(which, IER_RECEIVE, IER_TRANSMIT);
    uart->transport.again = transmit ? raise_again : NULL;
    put(uart, IER, uart->enabled);
}

/* Each turn removes one cause, of which there are four (8.6), so it ends. */
unsigned kymo_ns16550_cause(struct kymo_ns16550 *uart) {
    for (unsigned turn = 0u; turn < 4u; turn++) {
        const unsigned cause = get(uart, IIR) & IIR_CAUSE;
        if ((cause & IIR_NONE) != 0u) {
            break;
        }
        switch (cause) {
        case IIR_TRANSMIT:
            return KYMO_NS16550_ON_TRANSMIT; /* reading IIR has cleared it */
        case IIR_RECEIVE:
        case IIR_TIMEOUT:
            return KYMO_NS16550_ON_RECEIVE;
        case IIR_LINE:
            (void)line_status(uart);
            break;
        case IIR_MODEM:
            (void)get(uart, MSR);
            break;
        default:
            return 0u;
        }
    }
    return 0u;
}
