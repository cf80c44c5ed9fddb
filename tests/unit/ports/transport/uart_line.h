/* SPDX-License-Identifier: MIT */
/* The common part of the models of UARTs: a FIFO or a single buffer, the shift register behind
 * it, and the far end of the line, where bytes arrive when a test says so. */
#ifndef UART_LINE_H
#define UART_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/transport.h"

struct uart_line {
    const struct kymo_transport *transport; /* the driver under test */
    void (*moved)(void);                    /* or NULL: a byte went on to the shift register */
    void (*left)(void);                     /* or NULL: a byte left that */
    unsigned depth;                         /* of the FIFO */
    uint8_t fifo[64];
    unsigned count;
    uint8_t shifter;
    bool shifting;
    unsigned overruns; /* bytes that found no room */
    uint8_t sent[1024];
    unsigned sent_count;
    uint8_t received[16]; /* has come and was not read, of "receive_depth" at most */
    unsigned received_count, receive_depth;
};

/* The driver's write to its data register. */
void uart_line_put(struct uart_line *line, uint8_t byte);

/* "count" bytes go out, as far as there are any. */
void uart_line_sends(struct uart_line *line, unsigned count);

bool uart_line_idle(const struct uart_line *line);

/* A byte comes: false, there is no room for it. */
bool uart_line_arrives(struct uart_line *line, uint8_t byte);
/* The driver's read of the first byte that has come, which there must be. */
uint8_t uart_line_take(struct uart_line *line);

/* An access to an address where the model has no register, or not for this direction. Fails the test. */
uint32_t uart_line_no_register(uintptr_t offset);

/* Through the driver's transport. */
size_t uart_line_write(const struct uart_line *line, const uint8_t *bytes, size_t length);
size_t uart_line_read(const struct uart_line *line, uint8_t *bytes, size_t length);

/* Asserts that exactly these bytes have arrived, and none found a full FIFO. */
void uart_line_has_sent(const struct uart_line *line, const uint8_t *bytes, size_t length);

/* Asserts that a thousand bytes, written and sent at any pace, all arrive. */
void uart_line_keeps_every_byte(struct uart_line *line);

/* Asserts that the transmitter takes "room" bytes, and that on a line which never moves on a write looks
 * at the chip once and a read "read_looks" times. "*accesses" counts the looks. */
void uart_line_never_waits(struct uart_line *line, size_t room, unsigned read_looks,
                           const unsigned *accesses);

/* Asserts that a handler which writes the rest whenever the chip interrupts, like one that calls
 * kymo_drain(), gets everything out. "interrupts" says whether the line to the interrupt
 * controller is up, "cause" asks the driver, which must name "on_transmit" and acknowledge. */
void uart_line_sends_by_interrupt(struct uart_line *line, bool (*interrupts)(void),
                                  unsigned (*cause)(void), unsigned on_transmit);

/* Asserts that of the bytes of the string "come", which "receives" gives to the chip, those of "kept" are read:
 * two, then the rest. */
void uart_line_gives(const struct uart_line *line, void (*receives)(uint8_t), const char *come,
                     const char *kept);

/* Asserts that the line to the interrupt controller is up for something received, that the driver names
 * "on_receive", and that reading, which gives "bytes", takes it away. */
void uart_line_tells_of_received(const struct uart_line *line, bool (*interrupts)(void),
                                 unsigned (*cause)(void), unsigned on_receive, size_t bytes);

#endif
