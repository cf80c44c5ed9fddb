/* SPDX-License-Identifier: MIT */
#include "uart.h"

#include <errno.h>

_Static_assert((CONFIG_KYMO_UART_SEND_BYTES & (CONFIG_KYMO_UART_SEND_BYTES - 1)) == 0,
               "CONFIG_KYMO_UART_SEND_BYTES must be a power of two");

/* Bytes for one look at the driver. Most FIFOs have 16, some 64 or more. */
#define CHUNK_BYTES 32u
/* The thread is woken when the bytes left to send pass a mark: the least one is this many, the next its double. */
#define LEAST_MARK_BYTES 32u
/* Turns in one interrupt: of an emulated UART, or USB, the FIFO may be empty again at once, for ever. */
#define TURNS 16u

/* The interrupt is switched on outside of the lock, as some drivers (PL011) then call on_interrupt() at once. Should
 * one on another CPU have emptied the FIFO meanwhile, the next finds nothing, and switches it off again. */
static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_zephyr_uart *uart = context;
    const k_spinlock_key_t key = k_spin_lock(&uart->lock);
    const size_t taken = kymo_fifo_put(&uart->sending, bytes, length);
    const bool waiting = uart->sending.count != 0u;
    k_spin_unlock(&uart->lock, key);
    if (waiting) {
        uart_irq_tx_enable(uart->device);
    }
    return taken;
}

/* kymo_drain() reads even when it has nothing to send: so bytes that an interrupt left are sent. */
static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_zephyr_uart *uart = context;
    const k_spinlock_key_t key = k_spin_lock(&uart->lock);
    const size_t given = kymo_fifo_look(&uart->received, 0u, bytes, length);
    kymo_fifo_drop(&uart->received, given);
    const bool waiting = uart->sending.count != 0u;
    k_spin_unlock(&uart->lock, key);
    if (waiting) {
        uart_irq_tx_enable(uart->device);
    }
    return given;
}

/* The thread makes the next bytes while these are sent, and looks again each time that half of the rest has been
 * sent: where few events fill the ring, there are never many bytes. A last few are gone before it has run. */
static bool has_passed_mark(uint32_t before, uint32_t now) {
    for (uint32_t mark = CONFIG_KYMO_UART_SEND_BYTES / 2u; mark >= LEAST_MARK_BYTES; mark /= 2u) {
        if (before > mark && now <= mark) {
            return true;
        }
    }
    return before != 0u && now == 0u;
}

/* Bytes that find no room are dropped, as the interrupt goes on until they are fetched. */
static void receive(struct kymo_zephyr_uart *uart) {
    uint8_t bytes[CHUNK_BYTES];
    const int count = uart_fifo_read(uart->device, bytes, (int)sizeof bytes);
    if (count > 0) {
        const size_t kept = kymo_fifo_put(&uart->received, bytes, (size_t)count);
        uart->receive_overflows += (uint32_t)((size_t)count - kept);
    }
}

/* Switched off under the lock, or a byte that comes between the look and this would wait for ever. */
static void send(struct kymo_zephyr_uart *uart) {
    uint8_t bytes[CHUNK_BYTES];
    const size_t count = kymo_fifo_look(&uart->sending, 0u, bytes, sizeof bytes);
    const int taken = count != 0u ? uart_fifo_fill(uart->device, bytes, (int)count) : 0;
    if (taken > 0) {
        kymo_fifo_drop(&uart->sending, (size_t)taken);
    } else {
        uart_irq_tx_disable(uart->device);
    }
}

static void on_interrupt(const struct device *device, void *context) {
    struct kymo_zephyr_uart *uart = context;
    const k_spinlock_key_t key = k_spin_lock(&uart->lock);
    const uint32_t waiting = uart->sending.count;
    unsigned turn = 0u;
    while (turn < TURNS && uart_irq_update(device) > 0 && uart_irq_is_pending(device) > 0) {
        if (uart_irq_rx_ready(device) > 0) {
            receive(uart);
        }
        if (uart_irq_tx_ready(device) > 0) {
            send(uart);
        }
        turn++;
    }
    if (turn == TURNS) {
        uart_irq_tx_disable(device); /* the next call of kymo_drain() goes on */
    }
    const bool wake = turn == TURNS || uart->received.count != 0u ||
                      has_passed_mark(waiting, uart->sending.count);
    k_spin_unlock(&uart->lock, key);
    if (wake) {
        k_sem_give(uart->wake);
    }
}

int kymo_zephyr_uart_init(struct kymo_zephyr_uart *uart, const struct device *device,
                          struct k_sem *wake) {
    *uart = (struct kymo_zephyr_uart){
        .transport = {.write = write_bytes, .read = read_bytes, .context = uart},
        .device = device,
        .wake = wake,
        .sending = {.bytes = uart->sending_bytes, .size = (uint32_t)sizeof uart->sending_bytes},
        .received = {.bytes = uart->received_bytes, .size = (uint32_t)sizeof uart->received_bytes},
    };
    if (!device_is_ready(device)) {
        return -ENODEV;
    }
    uart_irq_rx_disable(device);
    uart_irq_tx_disable(device);
    const int error = uart_irq_callback_user_data_set(device, on_interrupt, uart);
    if (error != 0) {
        return error;
    }
    uart_irq_rx_enable(device);
    return 0;
}

bool kymo_zephyr_uart_idle(struct kymo_zephyr_uart *uart) {
    const k_spinlock_key_t key = k_spin_lock(&uart->lock);
    const bool idle = uart->sending.count == 0u;
    k_spin_unlock(&uart->lock, key);
    return idle;
}
