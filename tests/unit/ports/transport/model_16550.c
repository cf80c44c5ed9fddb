/* SPDX-License-Identifier: MIT */
#include "model_16550.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* 8.4 line status */
#define LSR_DR 0x01u
#define LSR_OE 0x02u
#define LSR_FE 0x08u
#define LSR_THRE 0x20u
#define LSR_TEMT 0x40u
/* 8.7 interrupt enable */
#define IER_RECEIVED 0x01u
#define IER_TRANSMIT 0x02u
#define IER_LINE 0x04u
/* 8.6 interrupt identification */
#define IIR_NONE 0x01u
#define IIR_TRANSMIT 0x02u
#define IIR_RECEIVED 0x04u
#define IIR_LINE 0x06u
#define IIR_TIMEOUT 0x0cu
#define IIR_FIFOS 0xc0u
#define LCR_DLAB 0x80u
#define FCR_ENABLE 0x01u
#define FCR_CLEAR_RECEIVE 0x02u
#define FCR_CLEAR_TRANSMIT 0x04u
#define TIMEOUT_CHARACTERS 4u

struct model_16550 model_16550;

static struct model_16550 *const chip = &model_16550;

static uint64_t bit_cycles(void) { return 16u * (chip->dlm * 256u + chip->dll); }

uint64_t model_16550_character(void) { return MODEL_16550_BITS * bit_cycles(); }

static uint64_t far_bit_cycles(void) {
    return chip->far_bit_cycles != 0u ? chip->far_bit_cycles : 1000u * bit_cycles();
}

/* A receiver with 16 samples a bit reads 8 data bits and the stop bit of a sender that is at most
 * 4.54 % slower or 3.90 % faster: the source stands in baud.h. */
static bool is_readable(uint64_t sender, uint64_t receiver) {
    return sender * 10000u <= receiver * 10454u && sender * 10000u >= receiver * 9610u;
}

/* ---- transmitter ---- */

static void on_moved(void) {
    chip->character_out = chip->now + model_16550_character();
    /* By the transition to empty, whether it is enabled or not. */
    chip->transmit_interrupt = chip->transmit_interrupt || chip->line.count == 0;
}

static void on_left(void) {
    chip->character_out = 0;
    chip->damaged += is_readable(1000u * bit_cycles(), far_bit_cycles()) ? 0u : 1u;
}

static void put_byte(uint8_t byte) {
    chip->transmit_interrupt = false;
    uart_line_put(&chip->line, byte);
}

/* 8.7: enabling it raises it at once if there is nothing to send. */
static void put_enable(uint8_t value) {
    if ((value & ~chip->ier & IER_TRANSMIT) != 0) {
        chip->transmit_interrupt = chip->line.count == 0;
    }
    chip->ier = value;
}

/* ---- receiver ---- */

static unsigned trigger(void) {
    static const uint8_t levels[] = {1, 4, 8, 14};
    return (chip->fcr & FCR_ENABLE) != 0 ? levels[chip->fcr >> 6] : 1u;
}

static unsigned receive_depth(void) {
    return (chip->fcr & FCR_ENABLE) != 0 && chip->line.depth > 1 ? MODEL_16550_FIFO : 1u;
}

/* 8.4: the FIFO's contents stay, the new character is lost. */
void model_16550_receives(uint8_t byte) {
    chip->last_received = chip->now;
    if (chip->fifo_count >= receive_depth()) {
        chip->errors |= LSR_OE;
        chip->overruns++;
        return;
    }
    const bool readable = is_readable(far_bit_cycles(), 1000u * bit_cycles());
    chip->errors |= readable ? 0u : LSR_FE;
    chip->fifo[chip->fifo_count++] = readable ? byte : (uint8_t)~byte;
}

static uint8_t take_received(void) {
    assert_true(chip->fifo_count > 0);
    const uint8_t byte = chip->fifo[0];
    memmove(chip->fifo, chip->fifo + 1, --chip->fifo_count);
    chip->last_received = chip->now;
    return byte;
}

static void begin_far_character(void) {
    chip->character_in = chip->now + MODEL_16550_BITS * far_bit_cycles() / 1000u;
}

void model_16550_far_sends(const uint8_t *bytes, size_t count) {
    chip->far_bytes = bytes;
    chip->far_count = count;
    begin_far_character();
}

static void far_character_arrives(void) {
    model_16550_receives(*chip->far_bytes++);
    chip->character_in = 0;
    if (--chip->far_count > 0) {
        begin_far_character();
    }
}

/* ---- registers ---- */

static uint8_t line_status(void) {
    const uint8_t status =
        (uint8_t)((chip->fifo_count > 0 ? LSR_DR : 0) | (chip->line.count == 0 ? LSR_THRE : 0) |
                  (uart_line_idle(&chip->line) ? LSR_TEMT : 0) | chip->errors);
    chip->errors = 0;
    return status;
}

/* 8.6: the most urgent cause. */
static uint8_t cause(void) {
    const bool late =
        chip->now - chip->last_received >= TIMEOUT_CHARACTERS * model_16550_character();
    if ((chip->ier & IER_LINE) != 0 && chip->errors != 0) {
        return IIR_LINE;
    }
    if ((chip->ier & IER_RECEIVED) != 0 && chip->fifo_count >= trigger()) {
        return IIR_RECEIVED;
    }
    if ((chip->ier & IER_RECEIVED) != 0 && chip->fifo_count > 0 && late) {
        return IIR_TIMEOUT;
    }
    return (chip->ier & IER_TRANSMIT) != 0 && chip->transmit_interrupt ? IIR_TRANSMIT : IIR_NONE;
}

bool model_16550_interrupts(void) { return cause() != IIR_NONE; }

static uint8_t identify(void) {
    const uint8_t found = cause();
    if (found == IIR_TRANSMIT) {
        chip->transmit_interrupt = false;
    }
    return (uint8_t)(found |
                     ((chip->fcr & FCR_ENABLE) != 0 && chip->line.depth > 1 ? IIR_FIFOS : 0));
}

uint8_t model_16550_get(uintptr_t address) {
    const unsigned number = (unsigned)((address - chip->base) / chip->stride);
    chip->accesses++;
    switch (number) {
    case 0:
        return take_received();
    case 2:
        return identify();
    case 5:
        return line_status();
    case 6:
        return 0;
    default:
        fail_msg("read of register %u", number);
        return 0;
    }
}

/* 8.5 */
static void put_fifo_control(uint8_t value) {
    if ((value & FCR_CLEAR_RECEIVE) != 0) {
        chip->fifo_count = 0;
    }
    if ((value & FCR_CLEAR_TRANSMIT) != 0) {
        chip->line.count = 0;
    }
    chip->fcr = value;
}

void model_16550_put(uintptr_t address, uint8_t value) {
    const unsigned number = (unsigned)((address - chip->base) / chip->stride);
    const bool latch = (chip->lcr & LCR_DLAB) != 0;
    chip->accesses++;
    chip->writes++;
    if (latch && number <= 1) {
        *(number == 0 ? &chip->dll : &chip->dlm) = value;
        return;
    }
    switch (number) {
    case 0:
        put_byte(value);
        break;
    case 1:
        put_enable(value);
        break;
    case 2:
        put_fifo_control(value);
        break;
    case 3:
        chip->lcr = value;
        break;
    case 4:
        chip->mcr = value;
        break;
    default:
        fail_msg("write to register %u", number);
    }
}

void model_16550_power_on(uintptr_t base, uintptr_t stride, unsigned depth) {
    memset(chip, 0, sizeof *chip);
    chip->base = base;
    chip->stride = stride;
    chip->line.depth = depth;
    chip->line.moved = on_moved;
    chip->line.left = on_left;
}

/* ---- time ---- */

/* To the next thing that happens on the line, at most to "end". */
static void step(uint64_t end) {
    uint64_t next = end;
    next = chip->character_out != 0 && chip->character_out < next ? chip->character_out : next;
    next = chip->character_in != 0 && chip->character_in < next ? chip->character_in : next;
    chip->busy += chip->line.shifting ? next - chip->now : 0;
    chip->now = next;
    if (chip->character_out == next) {
        uart_line_sends(&chip->line, 1);
    }
    if (chip->character_in == next) {
        far_character_arrives();
    }
}

void model_16550_run(uint64_t cycles) {
    const uint64_t end = chip->now + cycles;
    while (chip->now < end) {
        step(end);
    }
}
