/* SPDX-License-Identifier: MIT */
/* The thread that sends, on a model of the kernel with 100 ticks a second and of a UART with a bit rate. Time passes
 * while the thread waits, and with each look at the clock. */
#include "sender.c" /* its state is cleared for each test */
#include <errno.h>
#include <string.h>

#include "cases.h"
#include "trace.h"

#define US_PER_MS 1000u
#define TICK_US 10000u
#define FIFO_BYTES 16u
#define STEP_US 20u
/* 2 Mbit/s: twice what 2 KiB in each 20 ms make, which a thread could send that only sleeps. */
#define BYTES_PER_STEP 4u
/* They take most of the time of a step, but not all. */
#define PLOTS_PER_STEP 4u

struct zephyr_model model;
const struct device zephyr_device = {"uart0"};

static struct {
    bool ready, sends;
    uart_irq_callback_user_data_t callback;
    void *user_data;
    uint8_t fifo[FIFO_BYTES];
    unsigned in_fifo;
    uint64_t sent, steps, idle_steps; /* a step that could not send all its bytes is idle */
    uint64_t until_us;
    unsigned to_receive;
} line;

static struct {
    uint64_t end_us; /* then somebody ends the trace */
    bool floods;
    unsigned waits, looks, printed;
} seen;

static struct trace trace;

/* ---- the UART ---- */

bool device_is_ready(const struct device *dev) { return dev == &zephyr_device && line.ready; }
int uart_irq_callback_user_data_set(const struct device *dev, uart_irq_callback_user_data_t cb,
                                    void *user_data) {
    line.callback = cb;
    line.user_data = user_data;
    return dev == &zephyr_device ? 0 : -EINVAL;
}
void uart_irq_rx_enable(const struct device *dev) { assert_ptr_equal(dev, &zephyr_device); }
void uart_irq_rx_disable(const struct device *dev) { assert_ptr_equal(dev, &zephyr_device); }
void uart_irq_tx_enable(const struct device *dev) { line.sends = dev == &zephyr_device; }
void uart_irq_tx_disable(const struct device *dev) { line.sends = dev != &zephyr_device; }
int uart_irq_update(const struct device *dev) { return dev == &zephyr_device; }
int uart_irq_rx_ready(const struct device *dev) {
    return dev == &zephyr_device && line.to_receive != 0u;
}
int uart_irq_tx_ready(const struct device *dev) {
    return dev == &zephyr_device && line.sends && line.in_fifo <= FIFO_BYTES / 2u;
}
int uart_irq_is_pending(const struct device *dev) {
    return uart_irq_rx_ready(dev) != 0 || uart_irq_tx_ready(dev) != 0;
}
int uart_fifo_read(const struct device *dev, uint8_t *rx_data, const int size) {
    assert_true(dev == &zephyr_device && size > 0);
    rx_data[0] = 0u;
    line.to_receive--;
    return 1;
}
int uart_fifo_fill(const struct device *dev, const uint8_t *tx_data, int size) {
    int count = 0;
    assert_ptr_equal(dev, &zephyr_device);
    while (count < size && line.in_fifo < FIFO_BYTES) {
        line.fifo[line.in_fifo++] = tx_data[count++];
    }
    return count;
}

static void send_byte(void) {
    const size_t taken = trace.transport.write(trace.transport.context, line.fifo, 1u);
    assert_int_equal(taken, 1);
    line.in_fifo--;
    for (unsigned i = 0u; i < line.in_fifo; i++) {
        line.fifo[i] = line.fifo[i + 1u];
    }
    line.sent++;
}

static void send_step(void) {
    for (unsigned byte = 0u; byte < BYTES_PER_STEP; byte++) {
        if (line.ready && uart_irq_is_pending(&zephyr_device) != 0) {
            line.callback(&zephyr_device, line.user_data);
        }
        if (line.in_fifo == 0u) {
            line.idle_steps++;
            break;
        }
        send_byte();
    }
    line.steps++;
}

/* ---- the kernel ---- */

/* Numbers that nothing foretells: several bytes each. */
static void flood(void) {
    static uint32_t number = 1u;
    for (unsigned i = 0u; i < PLOTS_PER_STEP && seen.floods; i++) {
        number = number * 1664525u + 1013904223u;
        KYMO_PLOT("flood", number);
    }
}

/* The line's progress up to now, and the others' meanwhile. */
static void catch_up(void) {
    while (line.until_us + STEP_US <= model.cycles) {
        line.until_us += STEP_US;
        flood();
        send_step();
    }
    if (model.cycles >= seen.end_us && !ending) {
        seen.floods = false;
        (void)kymo_zephyr_finish(K_NO_WAIT);
    }
}

int64_t k_uptime_get(void) {
    catch_up();
    return (int64_t)(model.cycles / US_PER_MS);
}

void k_sem_give(struct k_sem *sem) { sem->count = 1u; }

/* A wait begins within a tick, which does not count: so it takes up to one tick more, and ends with a tick. */
int k_sem_take(struct k_sem *sem, k_timeout_t timeout) {
    const uint64_t ticks = ((uint64_t)timeout.ms * US_PER_MS + TICK_US - 1u) / TICK_US;
    const uint64_t end_us = (model.cycles / TICK_US + ticks + 1u) * TICK_US;
    seen.waits += timeout.ms != 0 ? 1u : 0u;
    while (sem->count == 0u && timeout.ms != 0 && model.cycles < end_us) {
        model.cycles += STEP_US;
        catch_up();
    }
    const bool given = sem->count != 0u;
    sem->count = 0u;
    return given ? 0 : -EAGAIN;
}

void printk(const char *format, ...) {
    assert_non_null(format);
    seen.printed++;
}

void kymo_zephyr_look_at_a_stack(void) { seen.looks++; }

/* ---- tests ---- */

FIXTURE(set_up) {
    trace_power_up();
    trace_init(&trace);
    model.cycles = 0u;
    memset(&line, 0, sizeof line);
    memset(&seen, 0, sizeof seen);
    line.ready = true;
    ending = all_sent = false;
    stack_due_ms = 0;
    wake.count = ended.count = 0u;
    return 0;
}

/* Runs the thread to its end, which somebody asks for after that time; true: all was sent. */
static bool send_for(uint64_t time_us) {
    seen.end_us = time_us;
    kymo(NULL, NULL, NULL);
    return kymo_zephyr_finish(K_NO_WAIT);
}

CASE(a_flooded_line_is_never_idle, set_up) {
    seen.floods = true;
    assert_true(send_for(1000u * US_PER_MS));
    assert_true(line.idle_steps * 20u < line.steps);
    assert_true(line.sent > 19u * 1000u * US_PER_MS / STEP_US * BYTES_PER_STEP / 20u);
}

CASE(all_is_sent_before_the_end_is_reported, set_up) {
    for (unsigned i = 0u; i < 100u; i++) {
        KYMO_ZONE("early");
    }
    assert_true(send_for(50u * US_PER_MS));
    while (line.in_fifo != 0u) {
        send_byte();
    }
    assert_true((trace.flags & KYMO_STATUS_FINAL) != 0u);
    assert_int_equal(trace_events(&trace), 200);
    assert_int_equal(trace.lane[0].status[0], 200);
}

/* It looks for events once in two ticks, and a few times more for its own packets. */
CASE(without_events_it_sleeps, set_up) {
    assert_true(send_for(10000u * US_PER_MS));
    assert_in_range(seen.waits, 400, 600);
    assert_in_range(seen.looks, 90, 100);
}

CASE(a_received_byte_wakes_it, set_up) {
    line.to_receive = 100u;
    assert_true(send_for(15u * US_PER_MS));
    assert_int_equal(uart.receive_overflows, 0);
    assert_int_equal(uart.received.count, 0);
    assert_true(seen.waits > 2u);
}

CASE(an_unusable_uart_is_reported, set_up) {
    line.ready = false;
    assert_false(send_for(0u));
    assert_int_equal(seen.printed, 1);
    assert_int_equal(line.sent, 0);
}
