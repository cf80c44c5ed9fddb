/* SPDX-License-Identifier: MIT */
#include "uart_contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- baud rates ---- */

/* Misses by at most 3 %, in exact arithmetic. */
static bool is_near(uint64_t given, uint64_t wanted) {
    const uint64_t missed = given < wanted ? wanted - given : given - wanted;
    return missed * 100u <= wanted * 3u;
}

static uint64_t distance(uint64_t given, uint64_t wanted) {
    return given < wanted ? wanted - given : given - wanted;
}

/* The lowest distance to "wanted" that a rate of the table has, in baud; UINT64_MAX if none is
 * near. */
static uint64_t nearest_fixed(const struct uart_contract *contract, uint32_t wanted) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < contract->rate_count; i++) {
        const uint64_t missed = distance(contract->rates[i].baud, wanted);
        least = is_near(contract->rates[i].baud, wanted) && missed < least ? missed : least;
    }
    return least;
}

static void check_fixed(const struct uart_contract *contract, uint32_t wanted) {
    const uint64_t missed = nearest_fixed(contract, wanted);
    *contract->writes = 0;
    assert_int_equal(contract->init(0, wanted), missed != UINT64_MAX);
    if (missed == UINT64_MAX) {
        assert_int_equal(*contract->writes, 0);
        return;
    }
    for (size_t i = 0; i < contract->rate_count; i++) {
        if (contract->rates[i].value == contract->divisor()) {
            assert_int_equal(distance(contract->rates[i].baud, wanted), missed);
            return;
        }
    }
    fail_msg("0x%x is no value of the manual's", (unsigned)contract->divisor());
}

/* By how much a divisor's rate misses "wanted": missed / divisor, in some unit. */
static uint64_t missed_by(const struct uart_contract *contract, uint32_t clock_hz, uint32_t wanted,
                          uint64_t divisor) {
    return distance((uint64_t)clock_hz * contract->parts, divisor * contract->clocks * wanted);
}

static bool is_possible(const struct uart_contract *contract, uint64_t divisor) {
    return divisor >= contract->least && divisor <= contract->most;
}

/* Any divisor near the exact one may be it, or the ends. */
static bool gives(const struct uart_contract *contract, uint32_t clock_hz, uint32_t wanted) {
    const uint64_t given = (uint64_t)clock_hz * contract->parts;
    const uint64_t step = (uint64_t)contract->clocks * wanted;
    const uint64_t tried[] = {given / step, given / step + 1u, contract->least, contract->most};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        if (is_possible(contract, tried[i]) && is_near(given, step * tried[i])) {
            return true;
        }
    }
    return false;
}

static void check_generated(const struct uart_contract *contract, uint32_t clock_hz,
                            uint32_t wanted) {
    const bool possible = gives(contract, clock_hz, wanted);
    *contract->writes = 0;
    if (contract->init(clock_hz, wanted) != possible) {
        fail_msg("%u baud of %u Hz: should be %s", (unsigned)wanted, (unsigned)clock_hz,
                 possible ? "accepted" : "refused");
    }
    if (!possible) {
        assert_int_equal(*contract->writes, 0);
        return;
    }
    const uint64_t divisor = contract->divisor();
    const uint64_t missed = missed_by(contract, clock_hz, wanted, divisor);
    assert_true(is_possible(contract, divisor));
    assert_true(is_near((uint64_t)clock_hz * contract->parts, divisor * contract->clocks * wanted));
    for (uint64_t other = divisor - 1u; other <= divisor + 1u; other += 2u) {
        if (is_possible(contract, other)) {
            const uint64_t by = missed_by(contract, clock_hz, wanted, other);
            /* Nearest by its rate, or by the divisor itself. */
            assert_true(missed * other <= by * divisor ||
                        2u * missed <= (uint64_t)contract->clocks * wanted);
        }
    }
}

/* The nearest accepted and the nearest refused rate above and below what one divisor gives. */
static void check_around(const struct uart_contract *contract, uint32_t clock_hz,
                         uint64_t divisor) {
    const uint64_t given = (uint64_t)clock_hz * contract->parts * 100u;
    const uint64_t highest = given / (97u * contract->clocks * divisor);
    const uint64_t lowest = (given - 1u) / (103u * contract->clocks * divisor) + 1u;
    if (lowest > 1u && highest < INT32_MAX / contract->clocks) {
        check_generated(contract, clock_hz, (uint32_t)lowest);
        check_generated(contract, clock_hz, (uint32_t)lowest - 1u);
        check_generated(contract, clock_hz, (uint32_t)highest);
        check_generated(contract, clock_hz, (uint32_t)highest + 1u);
    }
}

static void check_clock(const struct uart_contract *contract, uint32_t clock_hz) {
    for (uint64_t divisor = contract->least; divisor < contract->least + 40u; divisor++) {
        check_around(contract, clock_hz, divisor);
    }
    check_around(contract, clock_hz, contract->most - 1u);
    check_around(contract, clock_hz, contract->most);
    assert_false(contract->init(clock_hz, UINT32_MAX));
    uint32_t random = clock_hz;
    for (unsigned i = 0; i < 2000; i++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t wanted = random >> (i % 30u);
        if (wanted != 0u && wanted < INT32_MAX / contract->clocks) {
            check_generated(contract, clock_hz, wanted);
        }
    }
}

void uart_takes_the_nearest_rate_within_3_percent(void **state) {
    const struct uart_contract *contract = *state;
    static const uint32_t clocks_hz[] = {1000000u,  1843200u,   3686400u,   16000000u,
                                         50000000u, 250000000u, 4294967295u};
    for (size_t i = 0; contract->parts == 0u && i < contract->rate_count; i++) {
        const uint64_t rate = contract->rates[i].baud * UINT64_C(100);
        check_fixed(contract, (uint32_t)(rate / 97u));
        check_fixed(contract, (uint32_t)(rate / 97u) + 1u);
        check_fixed(contract, (uint32_t)((rate + 102u) / 103u));
        check_fixed(contract, (uint32_t)((rate + 102u) / 103u) - 1u);
        check_fixed(contract, contract->rates[i].baud);
    }
    for (size_t i = 0; contract->parts != 0u && i < sizeof clocks_hz / sizeof clocks_hz[0]; i++) {
        check_clock(contract, clocks_hz[i]);
    }
    *contract->writes = 0;
    assert_false(contract->init(0, 9600u) && contract->parts != 0u);
    assert_false(contract->init(50000000u, UINT32_MAX));
    assert_true(*contract->writes == 0 || contract->parts == 0u);
}

/* ---- bytes ---- */

void uart_keeps_every_byte(void **state) {
    const struct uart_contract *contract = *state;
    uart_line_keeps_every_byte(contract->line);
}

void uart_never_waits(void **state) {
    const struct uart_contract *contract = *state;
    uart_line_never_waits(contract->line, contract->room, contract->read_looks, contract->accesses);
}

void uart_is_idle_when_all_is_out(void **state) {
    const struct uart_contract *contract = *state;
    uint8_t bytes[1024] = {0};
    assert_true(contract->idle());
    assert_int_equal(uart_line_write(contract->line, bytes, contract->room), contract->room);
    for (size_t left = contract->room; left > contract->early; left--) {
        assert_false(contract->idle());
        uart_line_sends(contract->line, 1);
    }
    assert_true(contract->idle());
}

void uart_gives_what_was_received(void **state) {
    const struct uart_contract *contract = *state;
    static const uint32_t none;
    const uint32_t *errors = contract->errors != NULL ? contract->errors : &none;
    const uint32_t before = *errors, overruns = contract->errors != NULL ? 1u : 0u;
    uart_line_gives(contract->line, contract->receives, "", "");
    uart_line_gives(contract->line, contract->receives, "a", "a");
    assert_int_equal(*errors - before, 0);
    uart_line_gives(contract->line, contract->receives, contract->come, contract->kept);
    /* A UART may tell of a lost byte with the next one. */
    uart_line_gives(contract->line, contract->receives, "z", "z");
    assert_int_equal(*errors - before, overruns);
    uart_line_gives(contract->line, contract->receives, "", "");
    assert_int_equal(*errors - before, overruns);
}

/* ---- interrupts ---- */

void uart_sends_by_interrupt(void **state) {
    const struct uart_contract *contract = *state;
    contract->choose(contract->on_transmit);
    uart_line_sends_by_interrupt(contract->line, contract->interrupts, contract->cause,
                                 contract->on_transmit);
}

/* A handler gets everything out, in whatever pieces the bytes to send come, and
 * with silence between them: after silence, one write outside the handler begins to
 * send. */
void uart_goes_on_after_silence(void **state) {
    const struct uart_contract *contract = *state;
    uint8_t bytes[600];
    size_t given = 0;
    uint32_t random = 4711;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 11);
    }
    contract->choose(contract->on_transmit);
    while (given < sizeof bytes) {
        random = random * 1664525u + 1013904223u;
        size_t end = given + (random >> 16) % (3 * contract->room) + 1u;
        end = end < sizeof bytes ? end : sizeof bytes;
        given += uart_line_write(contract->line, bytes + given, end - given);
        for (unsigned silence = 0; silence < 8 * contract->room; silence++) {
            uart_line_sends(contract->line, 1);
            for (unsigned calls = 0; contract->interrupts(); calls++) {
                assert_int_equal(contract->cause(), contract->on_transmit);
                assert_true(calls < 4 * contract->room);
                given += uart_line_write(contract->line, bytes + given, end - given);
            }
        }
        assert_int_equal(given, end); /* else it stalled */
    }
    uart_line_has_sent(contract->line, bytes, sizeof bytes);
    contract->choose(0);
    assert_int_equal(uart_line_write(contract->line, bytes, 1), 1);
    uart_line_sends(contract->line, 1);
    assert_false(contract->interrupts());
}

void uart_tells_of_received_bytes(void **state) {
    const struct uart_contract *contract = *state;
    contract->choose(contract->on_receive);
    assert_false(contract->interrupts());
    assert_int_equal(contract->cause(), 0);
    contract->receives('x');
    uart_line_tells_of_received(contract->line, contract->interrupts, contract->cause,
                                contract->on_receive, 1);
    contract->choose(0);
    contract->receives('y');
    assert_false(contract->interrupts());
    /* Unasked it is no cause, or a handler that does not read would hang. */
    contract->choose(contract->on_transmit);
    const unsigned cause = contract->cause();
    assert_true(cause == contract->on_transmit || cause == 0);
    assert_int_equal(contract->cause(), 0);
}
