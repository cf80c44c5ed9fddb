#include "nrf_uarte.h"

#include "mmio.h"

/* Registers: nRF52840 Product Specification 6.34.9. Tasks are started by writing 1; an event reads as 1 until 0 is
 * written to it. */
#define TASKS_STARTRX 0x000u
#define TASKS_STARTTX 0x008u
#define EVENTS_ENDRX 0x110u
#define EVENTS_ENDTX 0x120u
#define EVENTS_ERROR 0x124u
#define SHORTS 0x200u
#define INTENSET 0x304u
#define INTENCLR 0x308u
#define ERRORSRC 0x480u /* write 1 to clear */
#define ENABLE 0x500u
#define ENABLE_UARTE 8u
#define PSEL_RTS 0x508u
#define PSEL_TXD 0x50cu
#define PSEL_CTS 0x510u
#define PSEL_RXD 0x514u
#define BAUDRATE 0x524u
#define RXD_PTR 0x534u
#define RXD_MAXCNT 0x538u
#define TXD_PTR 0x544u
#define TXD_MAXCNT 0x548u
#define CONFIG 0x56cu

#define NO_PIN 0xffffffffu

/* An event's bit in INTENSET and INTENCLR is its place among the events. */
#define INT_ENDRX (1u << 4)
#define INT_ENDTX (1u << 8)
#define INT_ERROR (1u << 9)

static uint32_t get(const struct nrf_uarte *uart, unsigned offset) {
    return mmio_get(uart->base + offset);
}

static void put(const struct nrf_uarte *uart, unsigned offset, uint32_t value) {
    mmio_put(uart->base + offset, value);
}

/* True, once for each time that the event has happened. */
static bool take_event(const struct nrf_uarte *uart, unsigned event) {
    if (get(uart, event) == 0u) {
        return false;
    }
    put(uart, event, 0u);
    return true;
}

/* The chip reads and writes memory behind the core's back: what is in a buffer must be there before the task that
 * fetches it, and is not read before the event that tells of it. */
static void memory_first(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static bool may_send(struct nrf_uarte *uart) {
    if (uart->sending && take_event(uart, EVENTS_ENDTX)) {
        uart->sending = false;
    }
    return !uart->sending;
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct nrf_uarte *uart = context;
    size_t count = length < sizeof uart->out ? length : sizeof uart->out;
    if (count == 0u || !may_send(uart)) {
        return 0u;
    }
    for (size_t i = 0u; i < count; i++) {
        uart->out[i] = bytes[i];
    }
    memory_first();
    uart->sending = true;
    put(uart, TXD_MAXCNT, (uint32_t)count);
    put(uart, TASKS_STARTTX, 1u);
    return count;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct nrf_uarte *uart = context;
    size_t received = 0u;
    if (take_event(uart, EVENTS_ERROR)) {
        put(uart, ERRORSRC, get(uart, ERRORSRC));
        uart->receive_errors++;
    }
    while (received < length && take_event(uart, EVENTS_ENDRX)) {
        memory_first();
        bytes[received++] = uart->in;
        memory_first();
        put(uart, TASKS_STARTRX, 1u);
    }
    return received;
}

/* The table of BAUDRATE; the rates up to 31250 follow the rule of the UART's, the others do not. 0 = no such. */
static uint32_t baud_value(uint32_t baud) {
    static const struct {
        uint32_t baud, value;
    } rates[] = {
        {1200u, 0x0004f000u},   {2400u, 0x0009d000u},   {4800u, 0x0013b000u},
        {9600u, 0x00275000u},   {14400u, 0x003af000u},  {19200u, 0x004ea000u},
        {28800u, 0x0075c000u},  {31250u, 0x00800000u},  {38400u, 0x009d0000u},
        {56000u, 0x00e50000u},  {57600u, 0x00eb0000u},  {76800u, 0x013a9000u},
        {115200u, 0x01d60000u}, {230400u, 0x03b00000u}, {250000u, 0x04000000u},
        {460800u, 0x07400000u}, {921600u, 0x0f000000u}, {1000000u, 0x10000000u},
    };
    for (size_t i = 0u; i < sizeof rates / sizeof rates[0]; i++) {
        if (rates[i].baud == baud) {
            return rates[i].value;
        }
    }
    return 0u;
}

bool nrf_uarte_init(struct nrf_uarte *uart, const struct nrf_uarte_config *config) {
    const uint32_t rate = baud_value(config->baud);
    if (rate == 0u) {
        return false;
    }
    uart->base = config->base;
    uart->sending = false;
    uart->receive_errors = 0u;
    uart->transport =
        (struct kymo_transport){.write = write_bytes, .read = read_bytes, .context = uart};

    put(uart, INTENCLR, INT_ENDRX | INT_ENDTX | INT_ERROR);
    put(uart, SHORTS, 0u);
    put(uart, PSEL_TXD, config->transmit_pin);
    put(uart, PSEL_RXD, config->receive_pin);
    put(uart, PSEL_RTS, NO_PIN);
    put(uart, PSEL_CTS, NO_PIN);
    put(uart, BAUDRATE, rate);
    put(uart, CONFIG, 0u);
    put(uart, ENABLE, ENABLE_UARTE);
    put(uart, EVENTS_ENDRX, 0u);
    put(uart, EVENTS_ENDTX, 0u);
    put(uart, EVENTS_ERROR, 0u);
    put(uart, TXD_PTR, (uint32_t)(uintptr_t)uart->out);
    put(uart, RXD_PTR, (uint32_t)(uintptr_t)&uart->in);
    put(uart, RXD_MAXCNT, 1u);
    put(uart, TASKS_STARTRX, 1u);
    return true;
}

bool nrf_uarte_idle(struct nrf_uarte *uart) { return may_send(uart); }

void nrf_uarte_interrupts(struct nrf_uarte *uart, unsigned which) {
    put(uart, INTENCLR, INT_ENDRX | INT_ENDTX | INT_ERROR);
    put(uart, INTENSET,
        ((which & NRF_UARTE_ON_RECEIVE) != 0u ? INT_ENDRX | INT_ERROR : 0u) |
            ((which & NRF_UARTE_ON_TRANSMIT) != 0u ? INT_ENDTX : 0u));
}

unsigned nrf_uarte_cause(struct nrf_uarte *uart) {
    if (get(uart, EVENTS_ENDRX) != 0u || get(uart, EVENTS_ERROR) != 0u) {
        return NRF_UARTE_ON_RECEIVE;
    }
    if (uart->sending && may_send(uart)) {
        return NRF_UARTE_ON_TRANSMIT;
    }
    return 0u;
}
