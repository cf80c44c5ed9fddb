/* SPDX-License-Identifier: MIT */
/* One of two boards that pass messages on: from a program of the host to the other board, and back. When each was sent
 * and received goes out over semihosting too, by the emulator's own clock: lines "WHAT NUMBER BEFORE AFTER", in hex. */
#include "board.h"
#include "kymo/kymo.h"
#include "message.h"

#define SYS_WRITE0 0x04u
#define SYS_ELAPSED 0x30u

/* The lines to others, in the order of the emulator's serial ports: the other board first, then the programs. */
#if defined(__arm__)
#include "cmsdk_uart.h"
#define LINES 3u
static struct kymo_cmsdk_uart uarts[LINES];
static const struct kymo_transport *line_of(uint32_t i) {
    return kymo_cmsdk_uart_transport(&uarts[i]);
}

static uintptr_t call(uintptr_t operation, const void *argument) {
    register uintptr_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static bool lines_init(void) {
    bool good = true;
    for (uint32_t i = 0u; i < LINES; i++) {
        const struct kymo_cmsdk_uart_config config = {
            .base = 0x40005000u + 0x1000u * i, .clock_hz = 25000000u, .baud = 921600u};
        good = kymo_cmsdk_uart_init(&uarts[i], &config) && good;
    }
    return good;
}
#else
#include "riscv/semihosting.h"
#include "sifive_uart.h"
#define LINES 1u
#define call semihosting_call
static struct kymo_sifive_uart uart;
static const struct kymo_transport *line_of(uint32_t i) {
    (void)i;
    return kymo_sifive_uart_transport(&uart);
}

static bool lines_init(void) {
    const struct kymo_sifive_uart_config config = {.base = 0x10011000u};
    return kymo_sifive_uart_init(&uart, &config);
}
#endif

static uint64_t elapsed_ns(void) {
    static uint64_t ns;
    (void)call(SYS_ELAPSED, &ns);
    return ns;
}

static char *put(char *at, uint64_t number) {
    for (int bit = 60; bit >= 0; bit -= 4) {
        *at++ = "0123456789abcdef"[number >> bit & 15u];
    }
    *at++ = ' ';
    return at;
}

static void tell(char what, uint64_t number, uint64_t before_ns, uint64_t after_ns) {
    char line[64], *at = line;
    *at++ = what;
    *at++ = ' ';
    at = put(put(put(at, number), before_ns), after_ns);
    at[-1] = '\n';
    *at = '\0';
    (void)call(SYS_WRITE0, line);
}

static void send(uint32_t line, uint64_t number) {
    uint8_t bytes[MESSAGE_BYTES];
    message_put(bytes, number);
    const uint64_t before_ns = elapsed_ns();
    KYMO_FLOW_SEND_NAMED("mail", number);
    const uint64_t after_ns = elapsed_ns();
    const struct kymo_transport *to = line_of(line);
    for (size_t sent = 0u; sent < sizeof bytes;) {
        sent += to->write(to->context, bytes + sent, sizeof bytes - sent);
    }
    tell('s', number, before_ns, after_ns);
}

static bool receive(uint32_t line, uint64_t *number) {
    static struct message_part parts[LINES];
    const struct kymo_transport *from = line_of(line);
    uint8_t byte;
    while (from->read(from->context, &byte, 1u) == 1u) {
        if (message_take(&parts[line], byte, number)) {
            const uint64_t before_ns = elapsed_ns();
            KYMO_FLOW_RECEIVE_NAMED("mail", *number);
            tell('r', *number, before_ns, elapsed_ns());
            return true;
        }
    }
    return false;
}

int main(void) {
    board_init();
    if (!lines_init()) {
        return 1;
    }
    kymo_init(board_transport(), LINES == 1u ? "rv64" : "cortex-m3");
    for (;;) {
        for (uint32_t i = 0u; i < LINES; i++) {
            uint64_t number;
            if (receive(i, &number)) {
                KYMO_ZONE("pass it on");
                const bool returns = LINES == 1u || i != 0u;
                send(returns ? 0u : 1u + MESSAGE_PROGRAM(number), MESSAGE_NEXT(number));
            }
        }
        (void)kymo_drain(0u);
    }
}
