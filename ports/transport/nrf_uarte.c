/* SPDX-License-Identifier: MIT */
#include "nrf_uarte.h"

#include "each_byte.h"
#include "mmio.h"
#include "nrf_registers.h"

/* Registers that only this one has: nRF52840 Product Specification 6.34.9. */
#define EVENTS_ENDRX 0x110u
#define EVENTS_ENDTX 0x120u
#define SHORTS 0x200u
#define ENABLE_UARTE 8u
#define RXD_PTR 0x534u
#define RXD_MAXCNT 0x538u
#define TXD_PTR 0x544u
#define TXD_MAXCNT 0x548u
#define PIECE_MOST 255u /* on the nRF52832 a transfer's length has 8 bits */

#define INT_ENDRX (1u << 4)
#define INT_ENDTX (1u << 8)

static uint32_t get(const struct kymo_nrf_uarte *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct kymo_nrf_uarte *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

static bool ended(void *chip) {
    const struct kymo_nrf_uarte *uart = chip;
    return nrf_take_event(uart->base, EVENTS_ENDTX);
}

static void start(void *chip, const uint8_t *bytes, uint32_t count) {
    const struct kymo_nrf_uarte *uart = chip;
    put(uart, TXD_PTR, (uint32_t)(uintptr_t)bytes);
    put(uart, TXD_MAXCNT, count);
    put(uart, TASKS_STARTTX, 1u);
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_nrf_uarte *uart = context;
    return kymo_dma_send_write(&uart->send, bytes, length);
}

static bool take_byte(void *context, uint8_t *byte) {
    const struct kymo_nrf_uarte *uart = context;
    if (!nrf_take_event(uart->base, EVENTS_ENDRX)) {
        return false;
    }
    kymo_dma_send_memory_first();
    *byte = uart->in;
    kymo_dma_send_memory_first();
    put(uart, TASKS_STARTRX, 1u);
    return true;
}

/* kymo_drain() reads even when it has nothing to send: so bytes that wait in the ring are sent. */
static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_nrf_uarte *uart = context;
    kymo_dma_send_poll(&uart->send);
    if (nrf_take_error(uart->base)) {
        uart->receive_errors++;
    }
    return kymo_read_each(context, bytes, length, take_byte);
}

/* The table of BAUDRATE in 6.34.9, with the true rates given there: 921600 baud are 941176
 * in truth. */
static const struct nrf_rate rates[] = {
    {1205u, 0x0004f000u},   {2396u, 0x0009d000u},    {4808u, 0x0013b000u},   {9598u, 0x00275000u},
    {14401u, 0x003af000u},  {19208u, 0x004ea000u},   {28777u, 0x0075c000u},  {31250u, 0x00800000u},
    {38369u, 0x009d0000u},  {55944u, 0x00e50000u},   {57554u, 0x00eb0000u},  {76923u, 0x013a9000u},
    {115108u, 0x01d60000u}, {231884u, 0x03b00000u},  {250000u, 0x04000000u}, {457143u, 0x07400000u},
    {941176u, 0x0f000000u}, {1000000u, 0x10000000u},
};

bool kymo_nrf_uarte_init(struct kymo_nrf_uarte *uart, const struct kymo_nrf_uarte_config *config) {
    const uint32_t rate = nrf_rate_value(rates, sizeof rates / sizeof rates[0], config->baud);
    if (rate == 0u) {
        return false;
    }
    uart->base = config->base;
    uart->on_receive = false;
    uart->receive_errors = 0u;
    kymo_dma_send_init(&uart->send, uart->out, sizeof uart->out, PIECE_MOST);
    uart->send.chip = uart;
    uart->send.ended = ended;
    uart->send.start = start;
    kymo_transport_set(&uart->transport, write_bytes, read_bytes, uart);

    put(uart, INTENCLR, INT_ENDRX | INT_ENDTX | INT_ERROR);
    put(uart, SHORTS, 0u);
    nrf_set_line(uart->base, config->transmit_pin, config->receive_pin, rate);
    put(uart, ENABLE, ENABLE_UARTE);
    put(uart, EVENTS_ENDRX, 0u);
    put(uart, EVENTS_ENDTX, 0u);
    put(uart, EVENTS_ERROR, 0u);
    put(uart, RXD_PTR, (uint32_t)(uintptr_t)&uart->in);
    put(uart, RXD_MAXCNT, 1u);
    put(uart, TASKS_STARTRX, 1u);
    return true;
}

/* The end of a piece is reported when its last byte has left. */
bool kymo_nrf_uarte_idle(struct kymo_nrf_uarte *uart) { return kymo_dma_send_idle(&uart->send); }

void kymo_nrf_uarte_interrupts(struct kymo_nrf_uarte *uart, unsigned which) {
    const bool transmit = (which & KYMO_NRF_UARTE_ON_TRANSMIT) != 0u;
    put(uart, INTENCLR, INT_ENDRX | INT_ENDTX | INT_ERROR);
    uart->on_receive = (which & KYMO_NRF_UARTE_ON_RECEIVE) != 0u;
    kymo_dma_send_by_interrupt(&uart->send, transmit);
    put(uart, INTENSET,
        (uart->on_receive ? INT_ENDRX | INT_ERROR : 0u) | (transmit ? INT_ENDTX : 0u));
}

unsigned kymo_nrf_uarte_cause(struct kymo_nrf_uarte *uart) {
    if (uart->send.by_interrupt && kymo_dma_send_next(&uart->send)) {
        return KYMO_NRF_UARTE_ON_TRANSMIT;
    }
    if (uart->on_receive && (get(uart, EVENTS_ENDRX) != 0u || get(uart, EVENTS_ERROR) != 0u)) {
        return KYMO_NRF_UARTE_ON_RECEIVE;
    }
    return 0u;
}
