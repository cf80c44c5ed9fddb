/* SPDX-License-Identifier: MIT */
/* The nRF UARTE's driver against a model of the device, made after the nRF52840 Product Specification
 * 1.7, 6.34. It fetches each byte only when the line is ready for it, as the chip does, so a buffer that
 * is filled too early is seen. */
#include <string.h>

#include "cases.h"
#include "dma_line.h"
#include "mmio.h"
#include "nrf_uarte.h"

#define BASE 0x40002000u
#define FIFO_BYTES 4u

static struct kymo_nrf_uarte uart;

static struct chip {
    uint32_t endrx, endtx, error, errorsrc, inten, enable, baudrate, config, shorts;
    uint32_t pins[4]; /* RTS, TXD, CTS, RXD */
    uint32_t txd_ptr, txd_maxcnt, rxd_ptr, rxd_maxcnt;
    bool sending, fetched, receiving;
} chip;

static struct uart_line *const line = &dma.line;

static void piece_fetched(void) { chip.fetched = true; }

static void on_left(void) {
    if (chip.sending && chip.fetched && uart_line_idle(line)) {
        chip.sending = false;
        chip.endtx = 1;
    }
}

static void start_sending(void) {
    assert_int_equal(chip.enable, 8);
    assert_false(chip.sending);
    assert_in_range(chip.txd_maxcnt, 1, 255);
    chip.sending = true;
    chip.fetched = false;
    dma_line_start(chip.txd_ptr, chip.txd_maxcnt);
}

static void store_received(void) {
    if (chip.receiving && line->received_count > 0) {
        assert_int_equal(chip.rxd_ptr, (uint32_t)(uintptr_t)&uart.in);
        assert_int_equal(chip.rxd_maxcnt, 1);
        uart.in = uart_line_take(line);
        chip.receiving = false;
        chip.endrx = 1;
    }
}

static void chip_receives(uint8_t byte) {
    if (!uart_line_arrives(line, byte)) {
        chip.error = 1;
        chip.errorsrc |= 1;
    }
    store_received();
}

static bool interrupts(void) {
    return (chip.inten & (chip.endrx << 4 | chip.endtx << 8 | chip.error << 9)) != 0;
}

uint32_t mmio_get(uintptr_t address) {
    dma_line_access(false);
    switch (address - BASE) {
    case 0x110:
        return chip.endrx;
    case 0x120:
        return chip.endtx;
    case 0x124:
        return chip.error;
    case 0x480:
        return chip.errorsrc;
    default:
        return uart_line_no_register(address - BASE);
    }
}

/* The registers that only keep the written value. */
static uint32_t *plain_register(uintptr_t offset) {
    switch (offset) {
    case 0x110:
        return &chip.endrx;
    case 0x120:
        return &chip.endtx;
    case 0x124:
        return &chip.error;
    case 0x200:
        return &chip.shorts;
    case 0x500:
        return &chip.enable;
    case 0x508:
    case 0x50c:
    case 0x510:
    case 0x514:
        return &chip.pins[(offset - 0x508) / 4];
    case 0x524:
        return &chip.baudrate;
    case 0x534:
        return &chip.rxd_ptr;
    case 0x538:
        return &chip.rxd_maxcnt;
    case 0x544:
        return &chip.txd_ptr;
    case 0x548:
        return &chip.txd_maxcnt;
    case 0x56c:
        return &chip.config;
    default:
        fail_msg("write at offset 0x%x", (unsigned)offset);
        return NULL;
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    dma_line_access(true);
    switch (address - BASE) {
    case 0x000:
        assert_int_equal(value, 1);
        chip.receiving = true;
        store_received();
        break;
    case 0x008:
        assert_int_equal(value, 1);
        start_sending();
        break;
    case 0x304:
        chip.inten |= value;
        break;
    case 0x308:
        chip.inten &= ~value;
        break;
    case 0x480:
        chip.errorsrc &= ~value;
        break;
    default:
        *plain_register(address - BASE) = value;
    }
}

static bool init(uint32_t clock_hz, uint32_t baud) {
    (void)clock_hz; /* the chip has 16 MHz */
    const struct kymo_nrf_uarte_config config = {
        .base = BASE, .transmit_pin = 6, .receive_pin = 8, .baud = baud};
    return kymo_nrf_uarte_init(&uart, &config);
}

FIXTURE(set_up) {
    memset(&chip, 0, sizeof chip);
    dma_line_reset(1, uart.out, sizeof uart.out, piece_fetched);
    line->left = on_left;
    line->receive_depth = FIFO_BYTES;
    chip.inten = 0x7fffff;
    chip.endrx = chip.endtx = chip.error = 1;
    chip.config = 0xf;
    chip.shorts = 0x60;
    assert_true(init(0, 115200));
    line->transport = kymo_nrf_uarte_transport(&uart);
    dma.accesses = 0;
    return 0;
}

/* The manual's table of BAUDRATE, by its true rates. */
static const struct uart_rate rates[] = {
    {1205, 0x0004f000},   {2396, 0x0009d000},    {4808, 0x0013b000},   {9598, 0x00275000},
    {14401, 0x003af000},  {19208, 0x004ea000},   {28777, 0x0075c000},  {31250, 0x00800000},
    {38369, 0x009d0000},  {55944, 0x00e50000},   {57554, 0x00eb0000},  {76923, 0x013a9000},
    {115108, 0x01d60000}, {231884, 0x03b00000},  {250000, 0x04000000}, {457143, 0x07400000},
    {941176, 0x0f000000}, {1000000, 0x10000000},
};

static uint32_t divisor(void) { return chip.baudrate; }

UART_DRIVER(nrf_uarte, &uart);

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(dma, KYMO_NRF_UARTE),
    .init = init,
    .divisor = divisor,
    .rates = rates,
    .rate_count = sizeof rates / sizeof rates[0],
    .set_up = set_up,
    .room = KYMO_NRF_UARTE_BYTES,
    .read_looks = 3,
    .come = "abcdef",
    .kept = "abcde",
    .errors = &uart.receive_errors,
};

CASE(init_sets_the_line, set_up) {
    assert_int_equal(chip.pins[0], 0xffffffffu);
    assert_int_equal(chip.pins[1], 6);
    assert_int_equal(chip.pins[2], 0xffffffffu);
    assert_int_equal(chip.pins[3], 8);
    assert_int_equal(chip.config, 0);
    assert_int_equal(chip.shorts, 0);
    assert_int_equal(chip.enable, 8);
    assert_int_equal(chip.inten & 0x310, 0);
    assert_true(chip.receiving);
    assert_int_equal(chip.endrx + chip.endtx + chip.error, 0);
}

/* While a piece goes out the next one is filled; idle when the last byte has left. */
CASE(a_piece_at_a_time, set_up) {
    uint8_t bytes[KYMO_NRF_UARTE_BYTES + 10];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    assert_true(kymo_nrf_uarte_idle(&uart));
    assert_int_equal(uart_line_write(line, bytes, 0), 0);
    assert_int_equal(uart_line_write(line, bytes, 10), 10);
    assert_int_equal(uart_line_write(line, bytes + 10, KYMO_NRF_UARTE_BYTES),
                     KYMO_NRF_UARTE_BYTES - 10);
    uart_line_sends(line, 9);
    assert_int_equal(uart_line_write(line, bytes + KYMO_NRF_UARTE_BYTES, 10), 0);
    uart_line_sends(line, 1);
    assert_int_equal(uart_line_write(line, bytes + KYMO_NRF_UARTE_BYTES, 10), 10);
    uart_line_sends(line, KYMO_NRF_UARTE_BYTES - 10);
    assert_false(kymo_nrf_uarte_idle(&uart));
    uart_line_sends(line, 9);
    assert_false(kymo_nrf_uarte_idle(&uart));
    uart_line_sends(line, 1);
    assert_true(kymo_nrf_uarte_idle(&uart));
    uart_line_has_sent(line, bytes, sizeof bytes);
}

CASE(an_error_alone_is_taken_away, set_up) {
    choose(KYMO_NRF_UARTE_ON_RECEIVE);
    chip.error = chip.errorsrc = 1;
    uart_line_tells_of_received(line, interrupts, cause, KYMO_NRF_UARTE_ON_RECEIVE, 0);
    assert_int_equal(chip.errorsrc, 0);
}

CASES(contract, DMA_CONTRACT_TESTS(set_up, contract),
      UART_TEST(uart_takes_the_nearest_rate_within_3_percent, set_up, contract),
      UART_TEST(uart_gives_what_was_received, set_up, contract));
