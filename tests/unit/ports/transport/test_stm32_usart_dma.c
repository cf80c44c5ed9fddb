/* SPDX-License-Identifier: MIT */
/* The STM32's USART fed by a stream of its DMA against a model of both, made after RM0090 10.3, 10.5 and
 * 30.3.13. The USART's own registers are tested with its own driver. */
#include <string.h>
#include <sys/mman.h>

#include "cases.h"
#include "dma_line.h"
#include "mmio.h"
#include "stm32_usart_dma.h"

#define USART2 0x40004400u
#define DMA1 0x40026000u
#define DMA2 0x40026400u
/* A stream's flags, before they are shifted. */
#define FEIF 0x01u
#define TEIF 0x08u
#define HTIF 0x10u
#define TCIF 0x20u

static struct kymo_stm32_usart_dma uart;

static struct chip {
    uintptr_t usart, dma;
    uint32_t stream, shift;
    uint32_t cr1, cr2, cr3, brr;
    bool tc_cleared; /* and no byte has gone since */
    uint8_t received;
    bool receive_full;
    uint32_t flags[2]; /* LISR, HISR */
    uint32_t cr, ndtr, par, m0ar, fcr;
    uint32_t disabling; /* looks until EN is 0 */
} chip;

static struct uart_line *const line = &dma.line;

static uint32_t flags(void) { return chip.flags[chip.stream / 4u] >> chip.shift & 0x3du; }

static void raise(uint32_t what) { chip.flags[chip.stream / 4u] |= what << chip.shift; }

static void piece_ended(void) {
    chip.cr &= ~1u;
    chip.ndtr = 0u;
    raise(TCIF | HTIF);
}

/* 10.4: each flag with its own enable bit; HTIE and DMEIE stay off. */
static bool transmit_interrupts(void) {
    return ((flags() & TCIF) != 0 && (chip.cr & 0x10u) != 0) ||
           ((flags() & TEIF) != 0 && (chip.cr & 4u) != 0) ||
           ((flags() & FEIF) != 0 && (chip.fcr & 0x80u) != 0);
}

static bool receive_interrupts(void) { return chip.receive_full && (chip.cr1 & 0x20u) != 0; }

static void chip_receives(uint8_t byte) {
    chip.received = byte;
    chip.receive_full = true;
}

/* Both lines to the interrupt controller. */
static bool interrupts(void) { return transmit_interrupts() || receive_interrupts(); }

/* ---- registers ---- */

static uint32_t get_usart(uintptr_t offset) {
    switch (offset) {
    case 0x00:
        return (chip.receive_full ? 0x20u : 0u) | (line->count == 0 ? 0x80u : 0u) |
               (uart_line_idle(line) && !chip.tc_cleared ? 0x40u : 0u);
    case 0x04:
        chip.receive_full = false;
        return chip.received;
    default:
        fail_msg("read of the USART at 0x%x", (unsigned)offset);
        return 0;
    }
}

static uint32_t get_control(void) {
    if (chip.disabling != 0u && --chip.disabling == 0u) {
        chip.cr &= ~1u;
    }
    return chip.cr;
}

uint32_t mmio_get(uintptr_t address) {
    const uintptr_t offset = address - chip.dma;
    dma_line_access(false);
    if (address - chip.usart < 0x400u) {
        return get_usart(address - chip.usart);
    }
    if (offset == 0x00u || offset == 0x04u) {
        return chip.flags[offset / 4u];
    }
    if (offset == 0x10u + 0x18u * chip.stream) {
        return get_control();
    }
    fail_msg("read of the DMA at 0x%x", (unsigned)offset);
    return 0;
}

static void put_usart(uintptr_t offset, uint32_t value) {
    uint32_t *const registers[] = {&chip.brr, &chip.cr1, &chip.cr2, &chip.cr3};
    if (offset == 0x00u) {
        assert_int_equal(value, 0xffffffbf); /* a 0 for TC alone */
        chip.tc_cleared = true;
        return;
    }
    assert_true(offset >= 0x08u && offset <= 0x14u); /* not the data register */
    *registers[(offset - 0x08u) / 4u] = value;
}

/* 10.3.17: with all flags clear, the USART on and asking; in the order of the manual EN is the last. */
static void enable(uint32_t value) {
    assert_int_equal(flags(), 0);
    assert_int_equal(chip.cr1 & 0x2008u, 0x2008u);
    assert_int_equal(chip.cr3, 0x80);
    assert_int_equal(chip.par, chip.usart + 4u);
    assert_true(chip.tc_cleared);
    chip.cr = value;
    chip.tc_cleared = false;
    dma_line_start(chip.m0ar, chip.ndtr);
}

static void put_control(uint32_t value) {
    if ((chip.cr & 1u) != 0u) {
        assert_int_equal(value & 1u, 0); /* 10.5.5: the rest is protected while it runs */
        if (chip.disabling == 0u) {
            chip.cr &= ~1u;
        }
    } else if ((value & 1u) != 0u) {
        enable(value);
    } else {
        chip.cr = value;
    }
}

static void put_stream(uintptr_t offset, uint32_t value) {
    uint32_t *const registers[] = {&chip.ndtr, &chip.par, &chip.m0ar, NULL, &chip.fcr};
    if (offset == 0u) {
        put_control(value);
        return;
    }
    assert_int_equal(chip.cr & 1u, 0);
    assert_true(offset <= 0x14u && registers[offset / 4u - 1u] != NULL);
    *registers[offset / 4u - 1u] = value;
}

void mmio_put(uintptr_t address, uint32_t value) {
    const uintptr_t offset = address - chip.dma;
    const uintptr_t stream = 0x10u + 0x18u * chip.stream;
    dma_line_access(true);
    if (address - chip.usart < 0x400u) {
        put_usart(address - chip.usart, value);
    } else if (offset == 0x08u || offset == 0x0cu) {
        assert_int_equal(offset, 0x08u + chip.stream / 4u * 4u);
        chip.flags[offset / 4u - 2u] &= ~value;
    } else if (offset >= stream && offset < stream + 0x18u) {
        put_stream(offset - stream, value);
    } else {
        fail_msg("write to the DMA at 0x%x", (unsigned)offset);
    }
}

/* ---- tests ---- */

static struct kymo_stm32_usart_config config(uintptr_t base) {
    return (struct kymo_stm32_usart_config){
        .base = base, .layout = KYMO_STM32_USART_OLD, .clock_hz = 42000000u, .baud = 1000000u};
}

/* The chip as other code may have left it: the stream set up and run to its end. */
static void power_on(uintptr_t usart, uintptr_t controller, uint32_t stream) {
    static const uint32_t shifts[] = {0u, 6u, 16u, 22u};
    memset(&chip, 0, sizeof chip);
    dma_line_reset(1u, uart.ring, sizeof uart.ring, piece_ended);
    chip.usart = usart;
    chip.dma = controller;
    chip.stream = stream;
    chip.shift = shifts[stream % 4u];
    chip.flags[0] = chip.flags[1] = 0x0f7d0f7du;
    chip.cr = 0x0001043eu;
    chip.fcr = 0x87u;
}

static enum kymo_stm32_usart_dma_result init(uintptr_t base) {
    const struct kymo_stm32_usart_config wiring = config(base);
    return kymo_stm32_usart_dma_init(&uart, &wiring);
}

FIXTURE(set_up) {
    power_on(USART2, DMA1, 6u);
    assert_int_equal(init(USART2), KYMO_STM32_USART_DMA_READY);
    line->transport = kymo_stm32_usart_dma_transport(&uart);
    dma.accesses = 0;
    return 0;
}

UART_DRIVER(stm32_usart_dma, &uart);

static const struct uart_contract contract = {
    UART_DRIVER_ROWS(dma, KYMO_STM32_USART_DMA),
    .set_up = set_up,
    .room = KYMO_STM32_USART_DMA_BYTES,
    .read_looks = 2,
};

/* RM0090 10.3.3; each sends. */
CASE(each_usart_has_its_stream, set_up) {
    static const struct {
        uintptr_t usart, controller;
        uint32_t stream, channel;
    } table[] = {
        {0x40011000u, DMA2, 7u, 4u}, {0x40004400u, DMA1, 6u, 4u}, {0x40004800u, DMA1, 3u, 4u},
        {0x40004c00u, DMA1, 4u, 4u}, {0x40005000u, DMA1, 7u, 4u}, {0x40011400u, DMA2, 6u, 5u},
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        power_on(table[i].usart, table[i].controller, table[i].stream);
        const uint32_t others = chip.flags[table[i].stream / 4u] & ~(0x3du << chip.shift);
        assert_int_equal(init(table[i].usart), KYMO_STM32_USART_DMA_READY);
        assert_int_equal(chip.flags[table[i].stream / 4u], others);
        line->transport = kymo_stm32_usart_dma_transport(&uart);
        assert_int_equal(uart_line_write(line, (const uint8_t *)"kymo", 4), 4);
        /* EN, memory to peripheral, MINC, medium, bytes, no interrupt; direct mode */
        assert_int_equal(chip.cr & ~1u, 1u << 6 | 1u << 10 | 1u << 16 | table[i].channel << 25);
        assert_int_equal(chip.fcr, 0);
        uart_line_sends(line, 4);
        assert_true(idle());
        uart_line_has_sent(line, (const uint8_t *)"kymo", 4);
    }
}

static void refuse(const struct kymo_stm32_usart_config *wiring,
                   enum kymo_stm32_usart_dma_result result) {
    dma.writes = 0;
    assert_int_equal(kymo_stm32_usart_dma_init(&uart, wiring), result);
    assert_int_equal(dma.writes, 0);
}

CASE(refuses_what_is_not_there, set_up) {
    struct kymo_stm32_usart_config wiring = config(USART2);
    wiring.layout = KYMO_STM32_USART_NEW;
    refuse(&wiring, KYMO_STM32_USART_DMA_NO_STREAM);
    wiring = config(0x40007800u);
    refuse(&wiring, KYMO_STM32_USART_DMA_NO_STREAM);
    wiring = config(USART2);
    wiring.baud = 3000000u;
    refuse(&wiring, KYMO_STM32_USART_DMA_NO_BAUD);
}

/* The ring in the core coupled memory, where a linker script may place it; right after that memory it is accepted. */
CASE(refuses_memory_out_of_reach, set_up) {
    const struct kymo_stm32_usart_config wiring = config(USART2);
    void *place = mmap((void *)0x0fff0000, 0x30000, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_ptr_equal(place, (void *)0x0fff0000);
    static const struct {
        uintptr_t ring;
        enum kymo_stm32_usart_dma_result result;
    } places[] = {
        {0x10000000u, KYMO_STM32_USART_DMA_UNREACHABLE},
        {0x1000ffc0u, KYMO_STM32_USART_DMA_UNREACHABLE},
        {0x0fffffc8u, KYMO_STM32_USART_DMA_UNREACHABLE},
        {0x0fffffc0u, KYMO_STM32_USART_DMA_READY},
        {0x10010000u, KYMO_STM32_USART_DMA_READY},
    };
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct kymo_stm32_usart_dma *there =
            (struct kymo_stm32_usart_dma *)(places[i].ring -
                                            offsetof(struct kymo_stm32_usart_dma, ring));
        dma.writes = 0;
        assert_int_equal(kymo_stm32_usart_dma_init(there, &wiring), places[i].result);
        assert_int_equal(dma.writes == 0, places[i].result == KYMO_STM32_USART_DMA_UNREACHABLE);
    }
    assert_int_equal(munmap(place, 0x30000), 0);
}

/* A boot loader's transfer, which ends after a while; or does not. */
CASE(waits_for_a_stream_to_stop, set_up) {
    power_on(USART2, DMA1, 6u);
    chip.cr |= 1u;
    chip.disabling = 5u;
    assert_int_equal(init(USART2), KYMO_STM32_USART_DMA_READY);
    power_on(USART2, DMA1, 6u);
    chip.cr |= 1u;
    chip.disabling = 1000000u;
    assert_int_equal(init(USART2), KYMO_STM32_USART_DMA_BUSY);
    assert_true(dma.accesses < 2000u);
}

/* A running stream's register cannot be changed, so not on the way; off again when all has gone. */
CASE(interrupts_change_between_pieces, set_up) {
    const uint8_t byte = 'x';
    assert_int_equal(uart_line_write(line, &byte, 1), 1);
    uart_line_sends(line, 1);
    assert_true(kymo_stm32_usart_dma_interrupts(&uart, KYMO_STM32_USART_DMA_ON_TRANSMIT));
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(uart_line_write(line, &byte, 1), 1);
    }
    assert_false(kymo_stm32_usart_dma_interrupts(&uart, 0u));
    while (!idle()) {
        assert_false(transmit_interrupts() && cause() != KYMO_STM32_USART_DMA_ON_TRANSMIT);
        uart_line_sends(line, 1);
    }
    assert_true(kymo_stm32_usart_dma_interrupts(&uart, 0u));
    assert_int_equal(uart_line_write(line, &byte, 1), 1);
    assert_false(transmit_interrupts());
    uart_line_sends(line, 1);
    assert_true(idle());
    uart_line_has_sent(line, (const uint8_t *)"xxxxx", 5);
}

/* 30.3.13: not when the DMA has done, but when the last byte has left. */
CASE(idle_is_the_last_bit, set_up) {
    for (unsigned turn = 0; turn < 2; turn++) {
        assert_int_equal(uart_line_write(line, (const uint8_t *)"abc", 3), 3);
        for (unsigned i = 0; i < 3; i++) {
            assert_false(idle());
            uart_line_sends(line, 1);
        }
        assert_true(idle());
    }
}

/* Direct mode: the RAM was late, nothing is lost (10.3.18). */
CASE(a_fifo_error_is_none, set_up) {
    assert_int_equal(uart_line_write(line, (const uint8_t *)"abcdef", 6), 6);
    raise(FEIF);
    assert_false(idle());
    assert_int_equal(dma.pieces, 1);
    uart_line_sends(line, 6);
    assert_true(idle());
    assert_int_equal(flags(), 0);
    assert_int_equal(uart_line_write(line, (const uint8_t *)"gh", 2), 2);
    uart_line_sends(line, 2);
    uart_line_has_sent(line, (const uint8_t *)"abcdefgh", 8);
    assert_int_equal(uart.transmit_errors, 0);
}

/* The rest of the piece is lost, bytes waiting after it go; not before EN is 0, which the chip sees to. */
static void goes_on_after_a_bus_error(bool interrupt) {
    if (interrupt) {
        assert_true(kymo_stm32_usart_dma_interrupts(&uart, KYMO_STM32_USART_DMA_ON_TRANSMIT));
    }
    assert_int_equal(uart_line_write(line, (const uint8_t *)"abcdefghij", 10), 10);
    assert_int_equal(uart_line_write(line, (const uint8_t *)"0123", 4), 4);
    uart_line_sends(line, 2);
    assert_int_equal(dma_line_stop(), 6);
    raise(TEIF);
    chip.disabling = 2u;
    assert_int_equal(transmit_interrupts(), interrupt);
    assert_int_equal(interrupt ? (int)cause() : (int)idle(), 0);
    assert_int_equal(dma.pieces, 1);
    assert_int_equal(interrupt ? (int)cause() : (int)idle(),
                     interrupt ? (int)KYMO_STM32_USART_DMA_ON_TRANSMIT : 0);
    assert_int_equal(dma.pieces, 2);
    uart_line_sends(line, 10);
    (void)cause();
    assert_true(idle());
    uart_line_has_sent(line, (const uint8_t *)"abcd0123", 8);
    assert_int_equal(uart.transmit_errors, 1);
}

CASE(goes_on_after_a_bus_error_polled, set_up) { goes_on_after_a_bus_error(false); }

CASE(goes_on_after_a_bus_error_by_interrupt, set_up) { goes_on_after_a_bus_error(true); }

CASES(contract, DMA_CONTRACT_TESTS(set_up, contract));
