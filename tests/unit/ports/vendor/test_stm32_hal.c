/* SPDX-License-Identifier: MIT */
/* The transport over ST's HAL against a model of the calls, whose interrupts come within any of them. */
#include <string.h>

#include "cases.h"
#include "stm32_hal.h"

#define STREAM_BYTES 1000u
#define STREAMS 300u

static struct kymo_stm32_hal uart;
static UART_HandleTypeDef handle, other;

static struct hal {
    const uint8_t *at; /* of the piece on its way */
    uint32_t left;
    uint8_t *receives_to; /* NULL: it does not receive */
    unsigned refusals;    /* of the next calls to send */
    unsigned calls, pieces, pieces_by_it;
    bool forwards;   /* the firmware forwards the callback */
    uint32_t random; /* not 0: interrupts come within calls */
    bool interrupted;
    uint8_t sent[2u * STREAM_BYTES];
    size_t sent_count;
} hal;

static uint32_t random_below(uint32_t limit) {
    hal.random = hal.random * 1664525u + 1013904223u;
    return (hal.random >> 16) % limit;
}

/* Bytes go out; the end of the piece is an interrupt. The HAL is ready before it calls back. */
static void fetch(uint32_t count) {
    while (count-- > 0u && hal.left > 0u) {
        assert_true(hal.sent_count < sizeof hal.sent);
        hal.sent[hal.sent_count++] = *hal.at++;
        if (--hal.left == 0u) {
            handle.gState = HAL_UART_STATE_READY;
            if (hal.forwards) {
                kymo_stm32_hal_sent(&uart, &handle);
            }
        }
    }
}

static void maybe_interrupt(void) {
    if (hal.random != 0u && !hal.interrupted && random_below(3u) == 0u) {
        hal.interrupted = true;
        fetch(random_below(2u * KYMO_STM32_HAL_BYTES));
        hal.interrupted = false;
    }
}

static HAL_StatusTypeDef transmit(UART_HandleTypeDef *huart, const uint8_t *bytes, uint16_t count) {
    hal.calls++;
    assert_ptr_equal(huart, &handle);
    assert_true(count > 0u && bytes >= uart.ring && bytes + count <= uart.ring + sizeof uart.ring);
    if (hal.refusals > 0u) {
        hal.refusals--;
        return HAL_BUSY;
    }
    if (hal.random != 0u && random_below(5u) == 0u) {
        return random_below(2u) == 0u ? HAL_BUSY : HAL_ERROR;
    }
    if (handle.gState != HAL_UART_STATE_READY) {
        return HAL_BUSY;
    }
    handle.ErrorCode = HAL_UART_ERROR_NONE;
    handle.gState = HAL_UART_STATE_BUSY_TX;
    hal.at = bytes;
    hal.left = count;
    hal.pieces++;
    maybe_interrupt();
    return HAL_OK;
}

HAL_StatusTypeDef HAL_UART_Transmit_DMA(UART_HandleTypeDef *huart, uint8_t *pData, uint16_t Size) {
    assert_non_null(huart->hdmatx);
    return transmit(huart, pData, Size);
}

HAL_StatusTypeDef HAL_UART_Transmit_IT(UART_HandleTypeDef *huart, uint8_t *pData, uint16_t Size) {
    hal.pieces_by_it++;
    return transmit(huart, pData, Size);
}

HAL_StatusTypeDef HAL_UART_Receive_IT(UART_HandleTypeDef *huart, uint8_t *pData, uint16_t Size) {
    assert_ptr_equal(huart, &handle);
    assert_int_equal(Size, 1);
    hal.calls++;
    if (handle.RxState != HAL_UART_STATE_READY) {
        return HAL_BUSY;
    }
    maybe_interrupt();
    hal.receives_to = pData;
    handle.RxState = HAL_UART_STATE_BUSY_RX;
    return HAL_OK;
}

/* A byte comes: false, the HAL does not receive. */
static bool comes(uint8_t byte) {
    if (hal.receives_to == NULL) {
        return false;
    }
    *hal.receives_to = byte;
    hal.receives_to = NULL;
    handle.RxState = HAL_UART_STATE_READY;
    kymo_stm32_hal_received(&uart, &handle);
    return true;
}

static size_t write(const void *bytes, size_t length) {
    return uart.transport.write(uart.transport.context, bytes, length);
}

static size_t read(void *bytes, size_t length) {
    return uart.transport.read(uart.transport.context, bytes, length);
}

static int set_up(void **state) {
    static DMA_HandleTypeDef dma;
    (void)state;
    memset(&hal, 0, sizeof hal);
    memset(&uart, 0x5a, sizeof uart);
    handle = (UART_HandleTypeDef){
        .hdmatx = &dma, .gState = HAL_UART_STATE_READY, .RxState = HAL_UART_STATE_READY};
    other = handle;
    hal.forwards = true;
    kymo_stm32_hal_init(&uart, &handle);
    return 0;
}

static void has_sent(const char *expected) {
    assert_int_equal(hal.sent_count, strlen(expected));
    assert_memory_equal(hal.sent, expected, hal.sent_count);
}

/* ---- sending ---- */

static void one_stream(void) {
    uint8_t bytes[STREAM_BYTES];
    size_t given = 0;
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    }
    for (unsigned turn = 0; given < sizeof bytes || !kymo_stm32_hal_idle(&uart); turn++) {
        assert_true(turn < 100u * STREAM_BYTES);
        const size_t left = sizeof bytes - given;
        const size_t wanted = random_below(2u * KYMO_STM32_HAL_BYTES);
        given += write(bytes + given, wanted < left ? wanted : left);
        fetch(random_below(100u));
    }
    assert_int_equal(hal.sent_count, sizeof bytes);
    assert_memory_equal(hal.sent, bytes, sizeof bytes);
}

/* After any refusal, and wherever a piece ends. */
CASE(keeps_every_byte, set_up) {
    for (uint32_t stream = 1; stream <= STREAMS; stream++) {
        set_up(state);
        hal.random = stream;
        hal.forwards = stream % 2u != 0u;
        one_stream();
        assert_true(hal.pieces > 5u);
    }
}

/* The line goes on without a drain. */
CASE(the_callback_starts_the_next_piece, set_up) {
    assert_int_equal(write("abc", 3), 3);
    assert_int_equal(write("defg", 4), 4);
    fetch(3);
    assert_int_equal(hal.pieces, 2);
    fetch(4);
    has_sent("abcdefg");
    assert_true(kymo_stm32_hal_idle(&uart));
}

CASE(a_drain_sees_the_end_without_callback, set_up) {
    uint8_t byte;
    hal.forwards = false;
    assert_int_equal(write("abc", 3), 3);
    assert_int_equal(write("def", 3), 3);
    fetch(100);
    assert_int_equal(hal.pieces, 1);
    assert_int_equal(read(&byte, 1), 0);
    assert_int_equal(hal.pieces, 2);
    assert_false(kymo_stm32_hal_idle(&uart));
    fetch(100);
    assert_true(kymo_stm32_hal_idle(&uart));
    has_sent("abcdef");
}

CASE(what_is_refused_is_offered_again, set_up) {
    uint8_t byte;
    hal.refusals = 3;
    assert_int_equal(write("ab", 2), 2);
    assert_int_equal(write("cd", 2), 2);
    assert_int_equal(read(&byte, 1), 0);
    assert_int_equal(hal.pieces, 0);
    assert_false(kymo_stm32_hal_idle(&uart));
    fetch(2);
    assert_int_equal(hal.pieces, 2);
    hal.refusals = 1; /* in the callback of the second piece, for what has come since */
    assert_int_equal(write("ef", 2), 2);
    fetch(2);
    assert_int_equal(hal.pieces, 2);
    kymo_stm32_hal_sent(&uart, &handle); /* of nothing of ours */
    assert_int_equal(read(&byte, 1), 0);
    assert_int_equal(hal.pieces, 3);
    fetch(2);
    has_sent("abcdef");
    assert_true(kymo_stm32_hal_idle(&uart));
}

/* The HAL that refuses for ever is asked a few times a call; bytes that fit are taken. */
CASE(never_waits, set_up) {
    uint8_t bytes[2u * KYMO_STM32_HAL_BYTES] = {0};
    hal.refusals = 1000000;
    assert_int_equal(write(bytes, sizeof bytes), KYMO_STM32_HAL_BYTES);
    for (unsigned turn = 0; turn < 10; turn++) {
        hal.calls = 0;
        assert_int_equal(write(bytes, sizeof bytes), 0);
        assert_int_equal(read(bytes, sizeof bytes), 0);
        assert_in_range(hal.calls, 1, 4);
    }
}

/* The rest of its piece is lost, no more. */
CASE(goes_on_after_a_dma_error, set_up) {
    uint8_t byte;
    assert_int_equal(write("abcdef", 6), 6);
    assert_int_equal(write("0123", 4), 4);
    fetch(2);
    hal.left = 0;
    handle.gState = HAL_UART_STATE_READY;
    handle.ErrorCode = HAL_UART_ERROR_DMA;
    kymo_stm32_hal_failed(&uart, &handle);
    assert_int_equal(read(&byte, 1), 0);
    fetch(100);
    has_sent("ab0123");
    assert_int_equal(uart.transmit_errors, 1);
    assert_int_equal(uart.receive_errors, 0);
    assert_true(kymo_stm32_hal_idle(&uart));
}

/* HAL_UART_Abort() makes no callback, and stops reception too. */
CASE(goes_on_after_an_abort, set_up) {
    uint8_t byte;
    assert_int_equal(write("abcdef", 6), 6);
    fetch(1);
    hal.left = 0;
    hal.receives_to = NULL;
    handle.gState = HAL_UART_STATE_READY;
    handle.RxState = HAL_UART_STATE_READY;
    assert_int_equal(write("012", 3), 3);
    assert_int_equal(read(&byte, 1), 0);
    assert_true(comes('x'));
    fetch(100);
    has_sent("a012");
    assert_int_equal(read(&byte, 1), 1);
    assert_int_equal(byte, 'x');
}

CASE(sends_without_dma, set_up) {
    handle.hdmatx = NULL;
    assert_int_equal(write("abc", 3), 3);
    fetch(100);
    has_sent("abc");
    assert_int_equal(hal.pieces_by_it, 1);
}

CASE(other_uarts_pass, set_up) {
    static struct kymo_stm32_hal not_yet;
    uint8_t byte;
    assert_int_equal(write("abc", 3), 3);
    hal.left = 0;
    handle.gState = HAL_UART_STATE_READY;
    kymo_stm32_hal_sent(&uart, &other);
    assert_int_equal(uart.send.sending, 3);
    hal.calls = 0;
    kymo_stm32_hal_received(&uart, &other);
    kymo_stm32_hal_failed(&uart, &other);
    for (unsigned i = 0; i < 2; i++) {
        const UART_HandleTypeDef *const from = i == 0 ? &other : NULL;
        kymo_stm32_hal_sent(&not_yet, from);
        kymo_stm32_hal_received(&not_yet, from);
        kymo_stm32_hal_failed(&not_yet, from);
    }
    assert_int_equal(hal.calls, 0);
    assert_int_equal(uart.receive_errors + not_yet.receive_errors, 0);
    assert_int_equal(read(&byte, 1), 0);
}

/* ---- receiving ---- */

CASE(gives_what_came, set_up) {
    uint8_t bytes[2u * KYMO_STM32_HAL_RECEIVE_BYTES];
    for (unsigned round = 0; round < 100; round++) {
        const unsigned count = round % KYMO_STM32_HAL_RECEIVE_BYTES + 1u;
        for (unsigned i = 0; i < count; i++) {
            assert_true(comes((uint8_t)(round + i)));
        }
        size_t got = read(bytes, 1);
        got += read(bytes + got, sizeof bytes - got);
        assert_int_equal(got, count);
        for (unsigned i = 0; i < count; i++) {
            assert_int_equal(bytes[i], (uint8_t)(round + i));
        }
    }
    assert_int_equal(uart.receive_lost_bytes, 0);
}

CASE(counts_what_nobody_read, set_up) {
    uint8_t bytes[2u * KYMO_STM32_HAL_RECEIVE_BYTES];
    for (unsigned i = 0; i < KYMO_STM32_HAL_RECEIVE_BYTES + 3u; i++) {
        assert_true(comes((uint8_t)i));
    }
    assert_int_equal(read(bytes, sizeof bytes), KYMO_STM32_HAL_RECEIVE_BYTES);
    assert_int_equal(bytes[KYMO_STM32_HAL_RECEIVE_BYTES - 1u], KYMO_STM32_HAL_RECEIVE_BYTES - 1u);
    assert_int_equal(uart.receive_lost_bytes, 3);
}

/* After an overrun the HAL has stopped receiving; after noise it goes on by itself. */
CASE(receives_again_after_an_overrun, set_up) {
    uint8_t byte;
    handle.ErrorCode = HAL_UART_ERROR_ORE;
    handle.RxState = HAL_UART_STATE_READY;
    hal.receives_to = NULL;
    kymo_stm32_hal_failed(&uart, &handle);
    assert_int_equal(uart.receive_errors, 1);
    assert_int_equal(uart.transmit_errors, 0);
    assert_int_equal(read(&byte, 1), 0);
    assert_true(comes('a'));
    assert_int_equal(read(&byte, 1), 1);
    assert_int_equal(byte, 'a');
}
