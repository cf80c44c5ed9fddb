/* SPDX-License-Identifier: MIT */
/* The RP2040's UART fed by its DMA against a model of both, made after the "RP2040 Datasheet", 2.5 and
 * 4.2.8. The UART's own registers are tested with the PL011's driver. */
#include <string.h>

#include "cases.h"
#include "dma_line.h"
#include "long_names.h"
#include "mmio.h"
#include "rp2040_uart_dma.h"

#define UART0 0x40034000u
#define UART1 0x40038000u
#define DMA_BASE 0x50000000u
#define CHANNEL 5u
#define BIT (1u << CHANNEL)
#define OTHERS 0xf0fu /* channels of others, whose interrupts are on */
#define AHB_ERROR (1u << 31)
#define READ_ERROR (1u << 30)

static struct kymo_rp2040_uart_dma uart;

static struct chip {
    uintptr_t base;
    uint32_t channel;
    uint32_t write_addr, trans_count, ctrl, intr, inte[2], abort;
    uint32_t cr, lcr, imsc, dmacr;
    bool abort_is_slow;
    uint8_t received;
    bool receive_full;
} chip;

static struct uart_line *const line = &dma.line;

static void piece_ended(void) { chip.intr |= 1u << chip.channel; }

static bool transmit_interrupts(void) { return (chip.intr & chip.inte[0] & BIT) != 0; }

static bool receive_interrupts(void) { return chip.receive_full && (chip.imsc & 0x50u) != 0; }

static void chip_receives(uint8_t byte) {
    chip.received = byte;
    chip.receive_full = true;
}

/* Both lines to the interrupt controller. */
static bool interrupts(void) { return transmit_interrupts() || receive_interrupts(); }

static void bus_error(void) {
    (void)dma_line_stop();
    chip.ctrl |= AHB_ERROR | READ_ERROR;
    chip.intr |= BIT;
}

/* ---- registers ---- */

static uint32_t get_uart(uintptr_t offset) {
    switch (offset) {
    case 0x00:
        chip.receive_full = false;
        return chip.received;
    case 0x18:
        return (uart_line_idle(line) ? 0u : 0x08u) | (chip.receive_full ? 0u : 0x10u);
    case 0x40:
        return receive_interrupts() ? 0x10u : 0u;
    default:
        fail_msg("read of the UART at 0x%x", (unsigned)offset);
        return 0;
    }
}

uint32_t mmio_get(uintptr_t address) {
    dma_line_access(false);
    if (address - chip.base < 0x1000u) {
        return get_uart(address - chip.base);
    }
    switch (address - DMA_BASE) {
    case 0x40u * CHANNEL + 0x10u:
        return chip.ctrl;
    case 0x400:
        return chip.intr;
    case 0x444:
        chip.abort = chip.abort_is_slow ? chip.abort : 0u;
        return chip.abort;
    default:
        fail_msg("read of the DMA at 0x%x", (unsigned)(address - DMA_BASE));
        return 0;
    }
}

static void put_uart(uintptr_t offset, uint32_t value) {
    switch (offset) {
    case 0x24:
    case 0x28:
    case 0x34:
    case 0x44:
        break;
    case 0x2c:
        chip.lcr = value;
        break;
    case 0x30:
        chip.cr = value;
        break;
    case 0x38:
        chip.imsc = value;
        break;
    case 0x48:
        chip.dmacr = value;
        break;
    default:
        fail_msg("write to the UART at 0x%x", (unsigned)offset); /* the data register, too */
    }
}

/* 2.1.2: plain, and the aliases that set and clear. */
static void put_enable(uintptr_t offset, uint32_t value) {
    uint32_t *enable = &chip.inte[(offset & 0xfffu) == 0x414u];
    assert_true((offset >> 12) == 2u || (offset >> 12) == 3u);
    *enable = (offset >> 12) == 2u ? *enable | value : *enable & ~value;
}

/* Started: not in the middle of an abort (2.5.5.3), with the UART on and asking. */
static void trigger(uint32_t address) {
    assert_int_equal(chip.abort, 0);
    assert_int_equal(chip.ctrl & (AHB_ERROR | READ_ERROR), 0);
    assert_int_equal(chip.cr & 0x101u, 0x101u);
    assert_int_equal(chip.dmacr, 2);
    assert_int_equal(chip.ctrl & 1u, 1);
    dma_line_start(address, chip.trans_count);
}

static void put_channel(uintptr_t offset, uint32_t value) {
    switch (offset) {
    case 0x04:
        chip.write_addr = value;
        break;
    case 0x08:
        chip.trans_count = value;
        break;
    case 0x10: /* the error flags: write 1 to clear */
        chip.ctrl = (value & 0xffffffu) | (chip.ctrl & READ_ERROR & ~value);
        break;
    case 0x3c:
        trigger(value);
        break;
    default:
        fail_msg("write to the channel at 0x%x", (unsigned)offset);
    }
}

void mmio_put(uintptr_t address, uint32_t value) {
    const uintptr_t offset = address - DMA_BASE;
    dma_line_access(true);
    if (address - chip.base < 0x1000u) {
        put_uart(address - chip.base, value);
    } else if (offset / 0x40u == chip.channel) {
        put_channel(offset % 0x40u, value);
    } else if ((offset & 0xfffu) == 0x404u || (offset & 0xfffu) == 0x414u) {
        put_enable(offset, value);
    } else if (offset == 0x400u) {
        chip.intr &= ~value;
    } else if (offset == 0x444u) {
        assert_int_equal(value, BIT);
        chip.abort |= value;
    } else {
        fail_msg("write to the DMA at 0x%x", (unsigned)offset);
    }
}

/* ---- tests ---- */

static struct kymo_rp2040_uart_dma_config config(void) {
    return (struct kymo_rp2040_uart_dma_config){
        .uart = {.base = UART0, .clock_hz = 125000000u, .baud = 921600u}, .channel = CHANNEL};
}

/* The chip as other code may have left it. */
static void power_on(uintptr_t base, uint32_t channel) {
    memset(&chip, 0, sizeof chip);
    dma_line_reset(32u, uart.ring, sizeof uart.ring, piece_ended);
    chip.base = base;
    chip.channel = channel;
    chip.intr = 0xfffu;
    chip.inte[0] = chip.inte[1] = OTHERS | 1u << channel;
}

FIXTURE(set_up) {
    const struct kymo_rp2040_uart_dma_config wiring = config();
    power_on(UART0, CHANNEL);
    assert_true(kymo_rp2040_uart_dma_init(&uart, &wiring));
    line->transport = kymo_rp2040_uart_dma_transport(&uart);
    dma.accesses = 0;
    return 0;
}

UART_DRIVER(rp2040_uart_dma, &uart);

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(dma, KYMO_RP2040_UART_DMA),
    .set_up = set_up,
    .room = KYMO_RP2040_UART_DMA_BYTES,
    .read_looks = 2,
};

CASE(init_sets_uart_and_channel, set_up) {
    assert_int_equal(chip.lcr, 0x70);
    assert_int_equal(chip.write_addr, UART0);
    /* EN, bytes, INCR_READ, CHAIN_TO itself, TREQ_SEL of UART0's transmitter */
    assert_int_equal(chip.ctrl, 1u | 1u << 4 | CHANNEL << 11 | 20u << 15);
    assert_int_equal(chip.inte[0], OTHERS);
    assert_int_equal(chip.inte[1], OTHERS);
    assert_int_equal(chip.intr, 0xfffu & ~BIT);
    assert_false(dma.running);
    assert_true(idle());

    struct kymo_rp2040_uart_dma_config wiring = config();
    wiring.uart.base = UART1;
    wiring.channel = 11u;
    power_on(UART1, 11u);
    assert_true(kymo_rp2040_uart_dma_init(&uart, &wiring));
    assert_int_equal(chip.write_addr, UART1);
    assert_int_equal(chip.ctrl, 1u | 1u << 4 | 11u << 11 | 22u << 15);
}

static void refuse(struct kymo_rp2040_uart_dma_config wiring) {
    dma.writes = 0;
    assert_false(kymo_rp2040_uart_dma_init(&uart, &wiring));
    assert_int_equal(dma.writes, 0);
}

CASE(refuses_what_is_not_there, set_up) {
    struct kymo_rp2040_uart_dma_config wiring = config();
    wiring.uart.base = 0x40030000u;
    refuse(wiring);
    wiring = config();
    wiring.channel = 12u;
    refuse(wiring);
    wiring = config();
    wiring.interrupt = 2u;
    refuse(wiring);
    wiring = config();
    wiring.uart.baud = 10000000u;
    refuse(wiring);
}

CASE(each_interrupt_can_be_chosen, set_up) {
    for (uint32_t interrupt = 0; interrupt < 2; interrupt++) {
        struct kymo_rp2040_uart_dma_config wiring = config();
        wiring.interrupt = interrupt;
        set_up(NULL);
        assert_true(kymo_rp2040_uart_dma_init(&uart, &wiring));
        kymo_rp2040_uart_dma_interrupts(&uart, KYMO_RP2040_UART_DMA_ON_TRANSMIT);
        assert_int_equal(chip.inte[interrupt], OTHERS | BIT);
        assert_int_equal(chip.inte[1 - interrupt], OTHERS);
        kymo_rp2040_uart_dma_interrupts(&uart, 0u);
        assert_int_equal(chip.inte[interrupt], OTHERS);
    }
}

/* The rest of the piece is lost, bytes waiting after it go; once counted, and not before the abort is over. */
static void goes_on_after_a_bus_error(bool interrupt) {
    uint8_t bytes[60], expected[60];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    if (interrupt) {
        kymo_rp2040_uart_dma_interrupts(&uart, KYMO_RP2040_UART_DMA_ON_TRANSMIT);
    }
    assert_int_equal(uart_line_write(line, bytes, 50), 50);
    assert_int_equal(uart_line_write(line, bytes + 50, 10), 10);
    uart_line_sends(line, 5);
    chip.abort_is_slow = true;
    bus_error();
    assert_int_equal(transmit_interrupts(), interrupt);
    const unsigned fetched = line->sent_count + line->count + (line->shifting ? 1u : 0u);
    assert_in_range(fetched, 33, 49);
    for (unsigned look = 0; look < 3; look++) {
        assert_int_equal(interrupt ? (int)cause() : (int)idle(), 0);
        assert_int_equal(dma.pieces, 1);
    }
    chip.abort_is_slow = false;
    assert_int_equal(interrupt ? (int)cause() : (int)idle(),
                     interrupt ? (int)KYMO_RP2040_UART_DMA_ON_TRANSMIT : 0);
    assert_int_equal(dma.pieces, 2);
    assert_int_equal(uart.transmit_errors, 1);
    uart_line_sends(line, 100);
    (void)cause();
    assert_true(idle());
    memcpy(expected, bytes, fetched);
    memcpy(expected + fetched, bytes + 50, 10);
    uart_line_has_sent(line, expected, fetched + 10);
    assert_int_equal(uart.transmit_errors, 1);
}

CASE(goes_on_after_a_bus_error_polled, set_up) { goes_on_after_a_bus_error(false); }

CASE(goes_on_after_a_bus_error_by_interrupt, set_up) { goes_on_after_a_bus_error(true); }

/* Back to polling, whenever on the way the interrupt of a piece's end comes through. */
CASE(interrupts_go_off_on_the_way, set_up) {
    for (uint32_t seed = 1; seed < 50; seed++) {
        set_up(NULL);
        kymo_rp2040_uart_dma_interrupts(&uart, KYMO_RP2040_UART_DMA_ON_TRANSMIT);
        assert_int_equal(uart_line_write(line, (const uint8_t *)"abc", 3), 3);
        assert_int_equal(uart_line_write(line, (const uint8_t *)"def", 3), 3);
        dma.interrupts = transmit_interrupts;
        dma.cause = cause;
        dma.random = seed;
        kymo_rp2040_uart_dma_interrupts(&uart, 0u);
        dma.random = 0;
        assert_false(transmit_interrupts());
        uart_line_sends(line, 3);
        (void)idle();
        uart_line_sends(line, 3);
        assert_true(idle());
        uart_line_has_sent(line, (const uint8_t *)"abcdef", 6);
    }
}

static size_t line_gives(uint8_t *bytes, size_t room) {
    uart_line_sends(line, (unsigned)room);
    const size_t count = line->sent_count;
    assert_true(count <= room);
    memcpy(bytes, line->sent, count);
    line->sent_count = 0u;
    return count;
}

CASE(long_names_arrive_whole, set_up) { long_names_arrive(line->transport, line_gives); }

CASES(contract, DMA_CONTRACT_TESTS(set_up, contract));
