/* SPDX-License-Identifier: MIT */
/* A 16550 after the PC16550D data sheet (National Semiconductor, June 1995), with time:
 * registers in the processor's view, two FIFOs of 16 bytes, and a line whose far end has a baud
 * rate of its own. Time is counted in cycles of the input clock, of which a bit takes 16 for
 * each unit of the divisor (8.3). Left out: parity, modem lines, and the delay of one character
 * before a transmit FIFO that held a single byte is said to be empty (8.12). */
#ifndef MODEL_16550_H
#define MODEL_16550_H

#include "uart_line.h"

#define MODEL_16550_FIFO 16u
#define MODEL_16550_BITS 10u /* of a character: start, 8 data, stop */

struct model_16550 {
    /* The processor's side. */
    uintptr_t base, stride; /* of the registers */
    uint8_t ier, lcr, mcr, fcr, dll, dlm;
    uint8_t errors;                 /* in the line status; reading that clears them (8.4) */
    bool transmit_interrupt;        /* raised, and not yet identified (8.6) */
    struct uart_line line;          /* transmit FIFO and shift register */
    uint8_t fifo[MODEL_16550_FIFO]; /* received */
    unsigned fifo_count, overruns;  /* bytes that found it full */
    unsigned accesses, writes;

    /* Time. */
    uint64_t now, character_out, character_in; /* when the one under way is complete; 0 = none */
    uint64_t last_received;
    uint64_t busy; /* cycles in which the transmitter was at work */

    /* The far end. */
    uint64_t far_bit_cycles;  /* cycles of a bit there, times 1000; 0 = the same as here */
    const uint8_t *far_bytes; /* to be sent from there, one after the other */
    size_t far_count;
    unsigned damaged; /* characters sent that the far end could not read */
};

extern struct model_16550 model_16550;

/* Switched on at "base": nothing in the FIFOs; transmit FIFO of "depth", 1 = a part without
 * working FIFOs. */
void model_16550_power_on(uintptr_t base, uintptr_t stride, unsigned depth);
/* For struct kymo_ns16550_config. */
uint8_t model_16550_get(uintptr_t address);
void model_16550_put(uintptr_t address, uint8_t value);

/* Time goes on. */
void model_16550_run(uint64_t cycles);
/* Cycles of a character. */
uint64_t model_16550_character(void);
/* These bytes begin to arrive; they must stay. */
void model_16550_far_sends(const uint8_t *bytes, size_t count);
/* A byte has arrived just now. */
void model_16550_receives(uint8_t byte);
/* The line to the interrupt controller. */
bool model_16550_interrupts(void);

#endif
