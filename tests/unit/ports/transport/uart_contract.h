/* SPDX-License-Identifier: MIT */
/* The promises of every UART driver, tested the same way for each: a driver's test has a model of
 * its registers and fills in this table. */
#ifndef UART_CONTRACT_H
#define UART_CONTRACT_H

#include "uart_line.h"

struct uart_rate {
    uint32_t baud;  /* what it truly is */
    uint32_t value; /* of the register */
};

struct uart_contract {
    struct uart_line *line;
    const unsigned *accesses; /* of registers, by the driver */
    unsigned *writes;

    int (*set_up)(void **state); /* for DMA alone: everything new */

    /* The driver's init() in the model as it is; and the divisor, or value, that the chip then
     * has. */
    bool (*init)(uint32_t clock_hz, uint32_t baud);
    uint32_t (*divisor)(void);
    /* Baud = clock * parts / (clocks * divisor); "parts" 0: one of the fixed rates. */
    uint32_t clocks, parts, least, most;
    const struct uart_rate *rates;
    size_t rate_count;

    size_t room;         /* bytes that the transmitter takes at once */
    unsigned read_looks; /* at registers, by a read of nothing */
    bool (*idle)(void);
    unsigned early; /* bytes that are still on the wire when "idle" says so */

    /* The driver's choice of interrupts and its cause; and the line to the interrupt controller. */
    void (*choose)(unsigned which);
    unsigned (*cause)(void);
    unsigned on_receive, on_transmit;
    bool (*interrupts)(void);

    /* A byte arrives; of the bytes "come" those of "kept" are read, and one error is counted, if
     * "errors" is not NULL: SiFive's UART does not tell. */
    void (*receives)(uint8_t byte);
    const char *come, *kept;
    const uint32_t *errors;
};

/* The functions of a driver on the UART of a test, which is the driver's own type. */
#define UART_DRIVER(driver, uart)                                                                  \
    static bool idle(void) { return kymo_##driver##_idle(uart); }                                  \
    static void choose(unsigned which) { (void)kymo_##driver##_interrupts(uart, which); }          \
    static unsigned cause(void) { return kymo_##driver##_cause(uart); }                            \
    _Static_assert(1, "takes the semicolon")

/* The rows of a contract that are the same for every driver: by UART_DRIVER, by the model of the chip, and by the
 * prefix of the driver's causes. */
#define UART_DRIVER_ROWS(model, causes)                                                            \
    .line = &(model).line, .accesses = &(model).accesses, .writes = &(model).writes, .idle = idle, \
    .choose = choose, .cause = cause, .on_receive = causes##_ON_RECEIVE,                           \
    .on_transmit = causes##_ON_TRANSMIT, .interrupts = interrupts, .receives = chip_receives

/* Tests, with the contract as their state. */
void uart_takes_the_nearest_rate_within_3_percent(void **contract);
void uart_keeps_every_byte(void **contract);
void uart_never_waits(void **contract);
void uart_is_idle_when_all_is_out(void **contract);
void uart_gives_what_was_received(void **contract);
void uart_sends_by_interrupt(void **contract);
void uart_goes_on_after_silence(void **contract);
void uart_tells_of_received_bytes(void **contract);

#define UART_TEST(name, set_up, contract)                                                          \
    cmocka_unit_test_prestate_setup_teardown(name, set_up, NULL, (void *)(uintptr_t) & (contract))

#define UART_CONTRACT_TESTS(set_up, contract)                                                      \
    UART_TEST(uart_takes_the_nearest_rate_within_3_percent, set_up, contract),                     \
        UART_TEST(uart_keeps_every_byte, set_up, contract),                                        \
        UART_TEST(uart_never_waits, set_up, contract),                                             \
        UART_TEST(uart_is_idle_when_all_is_out, set_up, contract),                                 \
        UART_TEST(uart_gives_what_was_received, set_up, contract),                                 \
        UART_TEST(uart_sends_by_interrupt, set_up, contract),                                      \
        UART_TEST(uart_goes_on_after_silence, set_up, contract),                                   \
        UART_TEST(uart_tells_of_received_bytes, set_up, contract)

#endif
