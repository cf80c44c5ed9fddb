/* SPDX-License-Identifier: MIT */
#include "uart_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void move_up(struct uart_line *line) {
    if (line->count > 0 && !line->shifting) {
        line->shifter = line->fifo[0];
        line->shifting = true;
        memmove(line->fifo, line->fifo + 1, --line->count);
        if (line->moved != NULL) {
            line->moved();
        }
    }
}

void uart_line_put(struct uart_line *line, uint8_t byte) {
    if (line->count >= line->depth) {
        line->overruns++;
        return;
    }
    line->fifo[line->count++] = byte;
    move_up(line);
}

void uart_line_sends(struct uart_line *line, unsigned count) {
    for (; count > 0 && line->shifting; count--) {
        assert_true(line->sent_count < sizeof line->sent);
        line->sent[line->sent_count++] = line->shifter;
        line->shifting = false;
        if (line->left != NULL) {
            line->left();
        }
        move_up(line);
    }
}

bool uart_line_idle(const struct uart_line *line) { return line->count == 0 && !line->shifting; }

bool uart_line_arrives(struct uart_line *line, uint8_t byte) {
    const bool room = line->received_count < line->receive_depth;
    if (room) {
        line->received[line->received_count++] = byte;
    }
    return room;
}

uint8_t uart_line_take(struct uart_line *line) {
    assert_int_not_equal(line->received_count, 0);
    const uint8_t byte = line->received[0];
    memmove(line->received, line->received + 1, --line->received_count);
    return byte;
}

uint32_t uart_line_no_register(uintptr_t offset) {
    fail_msg("no register at offset 0x%x", (unsigned)offset);
    return 0;
}

size_t uart_line_write(const struct uart_line *line, const uint8_t *bytes, size_t length) {
    return line->transport->write(line->transport->context, bytes, length);
}

size_t uart_line_read(const struct uart_line *line, uint8_t *bytes, size_t length) {
    return line->transport->read(line->transport->context, bytes, length);
}

void uart_line_has_sent(const struct uart_line *line, const uint8_t *bytes, size_t length) {
    assert_int_equal(line->overruns, 0);
    assert_int_equal(line->sent_count, length);
    assert_memory_equal(line->sent, bytes, length);
}

void uart_line_keeps_every_byte(struct uart_line *line) {
    uint8_t bytes[1000];
    size_t given = 0;
    uint32_t random = 12345;
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    }
    while (given < sizeof bytes) {
        random = random * 1664525u + 1013904223u;
        const size_t wanted = (random >> 24) % (2 * line->depth + 2);
        const size_t left = sizeof bytes - given;
        given += uart_line_write(line, bytes + given, wanted < left ? wanted : left);
        uart_line_sends(line, (random >> 16 & 0xff) % (line->depth + 3));
    }
    uart_line_sends(line, line->depth + 1);
    uart_line_has_sent(line, bytes, sizeof bytes);
}

void uart_line_never_waits(struct uart_line *line, size_t room, unsigned read_looks,
                           const unsigned *accesses) {
    uint8_t bytes[64] = {0};
    assert_int_equal(uart_line_write(line, bytes, sizeof bytes), room);
    const unsigned before = *accesses;
    assert_int_equal(uart_line_write(line, bytes, sizeof bytes), 0);
    assert_int_equal(*accesses - before, 1);
    assert_int_equal(uart_line_read(line, bytes, sizeof bytes), 0);
    assert_int_equal(*accesses - before, 1 + read_looks);
}

void uart_line_sends_by_interrupt(struct uart_line *line, bool (*interrupts)(void),
                                  unsigned (*cause)(void), unsigned on_transmit) {
    uint8_t bytes[100];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(200 - i);
    }
    size_t given = uart_line_write(line, bytes, sizeof bytes);
    unsigned handled = 0;
    for (unsigned turn = 0; turn < 2 * sizeof bytes; turn++) {
        uart_line_sends(line, 1);
        while (interrupts()) {
            assert_int_equal(cause(), on_transmit);
            assert_true(++handled < 4 * sizeof bytes); /* acknowledged, and so not told for ever */
            given += uart_line_write(line, bytes + given, sizeof bytes - given);
        }
    }
    uart_line_has_sent(line, bytes, sizeof bytes);
    assert_int_equal(cause(), 0);
}

void uart_line_gives(const struct uart_line *line, void (*receives)(uint8_t), const char *come,
                     const char *kept) {
    uint8_t bytes[64];
    for (; *come != '\0'; come++) {
        receives((uint8_t)*come);
    }
    size_t count = uart_line_read(line, bytes, 2);
    count += uart_line_read(line, bytes + count, sizeof bytes - count);
    assert_int_equal(count, strlen(kept));
    assert_memory_equal(bytes, kept, count);
}

void uart_line_tells_of_received(const struct uart_line *line, bool (*interrupts)(void),
                                 unsigned (*cause)(void), unsigned on_receive, size_t bytes) {
    uint8_t read[4];
    assert_true(interrupts());
    assert_int_equal(cause(), on_receive);
    assert_int_equal(uart_line_read(line, read, sizeof read), bytes);
    assert_int_equal(cause(), 0);
    assert_false(interrupts());
}
