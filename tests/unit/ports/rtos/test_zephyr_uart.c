/* SPDX-License-Identifier: MIT */
/* The transport over Zephyr's UART API, against a model of a driver: it never waits, takes what fits, and goes on
 * wherever it was stopped. Some drivers (PL011) call back from within uart_irq_tx_enable(); so does this one. */
#include "uart.h"

#include <errno.h>
#include <string.h>

#include "cases.h"

#define ALL 4000u
#define ENDLESS 100000u
#define FIFO 16u
/* More calls of the driver in one interrupt would be a wait: an update and a fill for each of some turns. */
#define CALLS_MAX 40u

struct zephyr_model model;

static struct driver {
    bool ready;
    int set_error;
    bool calls_back; /* in uart_irq_tx_enable() */
    bool sends, receives;
    unsigned room; /* of the FIFO; what it takes is sent */
    unsigned calls;
    uart_irq_callback_user_data_t callback;
    void *user_data;
    uint8_t sent[ENDLESS];
    unsigned sent_count;
    unsigned to_receive; /* bytes 0, 1, 2 ... still to come */
    uint8_t next;
} driver;

static const struct device device = {"uart0"};
static struct kymo_zephyr_uart uart;
static struct k_sem wake;
static uint8_t text[ALL];

void k_sem_give(struct k_sem *sem) { sem->count = 1u; }

static bool was_woken(void) {
    const bool woken = wake.count != 0u;
    wake.count = 0u;
    return woken;
}

static void interrupt(void) {
    driver.calls = 0u;
    driver.callback(&device, driver.user_data);
    assert_true(driver.calls <= CALLS_MAX);
}

bool device_is_ready(const struct device *dev) { return dev == &device && driver.ready; }

int uart_irq_callback_user_data_set(const struct device *dev, uart_irq_callback_user_data_t cb,
                                    void *user_data) {
    assert_ptr_equal(dev, &device);
    driver.callback = cb;
    driver.user_data = user_data;
    return driver.set_error;
}

void uart_irq_rx_enable(const struct device *dev) { driver.receives = dev == &device; }
void uart_irq_rx_disable(const struct device *dev) { driver.receives = dev != &device; }
void uart_irq_tx_disable(const struct device *dev) { driver.sends = dev != &device; }
void uart_irq_tx_enable(const struct device *dev) {
    driver.sends = dev == &device;
    if (driver.calls_back) {
        interrupt();
    }
}

int uart_irq_update(const struct device *dev) {
    driver.calls++;
    return dev == &device;
}
int uart_irq_rx_ready(const struct device *dev) {
    return dev == &device && driver.receives && driver.to_receive != 0u;
}
int uart_irq_tx_ready(const struct device *dev) {
    return dev == &device && driver.sends && driver.room != 0u;
}
int uart_irq_is_pending(const struct device *dev) {
    return uart_irq_rx_ready(dev) != 0 || uart_irq_tx_ready(dev) != 0;
}

int uart_fifo_read(const struct device *dev, uint8_t *rx_data, const int size) {
    int count = 0;
    while (dev == &device && count < size && count < (int)FIFO && driver.to_receive != 0u) {
        rx_data[count++] = driver.next++;
        driver.to_receive--;
    }
    return count;
}

int uart_fifo_fill(const struct device *dev, const uint8_t *tx_data, int size) {
    int count = 0;
    driver.calls++;
    while (dev == &device && count < size && driver.room != 0u) {
        assert_true(driver.sent_count < ENDLESS);
        driver.sent[driver.sent_count++] = tx_data[count++];
        driver.room--;
    }
    return count;
}

FIXTURE(set_up) {
    memset(&driver, 0, sizeof driver);
    driver.ready = true;
    for (unsigned i = 0u; i < ALL; i++) {
        text[i] = (uint8_t)(i * 7u + i / 256u);
    }
    assert_int_equal(kymo_zephyr_uart_init(&uart, &device, &wake), 0);
    return 0;
}

static size_t put(const uint8_t *bytes, size_t length) {
    return uart.transport.write(uart.transport.context, bytes, length);
}

CASE(it_takes_what_fits, set_up) {
    assert_int_equal(put(text, ALL), CONFIG_KYMO_UART_SEND_BYTES);
    assert_int_equal(put(text, ALL), 0);
    assert_false(kymo_zephyr_uart_idle(&uart));
    driver.room = FIFO;
    interrupt();
    assert_int_equal(driver.sent_count, FIFO);
    assert_int_equal(put(text, ALL), FIFO);
    assert_int_equal(put(text, ALL), 0);
}

/* Slow or fast, all bytes come in their order, and the interrupt is off when there are no more. */
static void carry(bool calls_back, unsigned room) {
    size_t given = 0u;
    driver.calls_back = calls_back;
    while (given < ALL || !kymo_zephyr_uart_idle(&uart)) {
        driver.room = room;
        given += put(text + given, ALL - given);
        if (driver.sends) {
            interrupt();
        }
    }
    driver.room = room;
    if (driver.sends) {
        interrupt();
    }
    assert_false(driver.sends);
    assert_int_equal(driver.sent_count, ALL);
    assert_memory_equal(driver.sent, text, ALL);
}

CASE(all_arrives_in_its_order, set_up) { carry(false, FIFO); }

CASE(a_driver_may_call_back_at_once, set_up) { carry(true, 1u); }

/* Emulated UARTs, and USB: each interrupt() checks that it ends. */
CASE(a_fifo_that_is_always_empty_keeps_no_interrupt_busy, set_up) { carry(false, ENDLESS); }

CASE(what_an_interrupt_left_goes_with_the_next_read, set_up) {
    uint8_t none[1];
    driver.room = ENDLESS;
    assert_int_equal(put(text, CONFIG_KYMO_UART_SEND_BYTES), CONFIG_KYMO_UART_SEND_BYTES);
    interrupt();
    assert_in_range(driver.sent_count, 1, CONFIG_KYMO_UART_SEND_BYTES - 1);
    assert_false(driver.sends);
    for (unsigned reads = 0u; !kymo_zephyr_uart_idle(&uart); reads++) {
        assert_true(reads < CONFIG_KYMO_UART_SEND_BYTES);
        assert_int_equal(uart.transport.read(uart.transport.context, none, sizeof none), 0);
        assert_true(driver.sends);
        interrupt();
    }
    assert_memory_equal(driver.sent, text, CONFIG_KYMO_UART_SEND_BYTES);
}

static bool is_mark(unsigned left) {
    return left >= 32u && left < CONFIG_KYMO_UART_SEND_BYTES && (left & (left - 1u)) == 0u;
}

/* At each half of the rest, and at the end; and when an interrupt stops although there is more. */
CASE(whoever_fills_is_woken_in_time, set_up) {
    (void)was_woken();
    assert_int_equal(put(text, CONFIG_KYMO_UART_SEND_BYTES), CONFIG_KYMO_UART_SEND_BYTES);
    for (unsigned left = CONFIG_KYMO_UART_SEND_BYTES; left != 0u; left -= FIFO) {
        assert_int_equal(was_woken(), is_mark(left));
        driver.room = FIFO;
        interrupt();
    }
    assert_true(was_woken());
    assert_true(kymo_zephyr_uart_idle(&uart));
    driver.room = FIFO;
    interrupt();
    assert_false(was_woken());
    assert_int_equal(put(text, CONFIG_KYMO_UART_SEND_BYTES), CONFIG_KYMO_UART_SEND_BYTES);
    driver.room = ENDLESS;
    interrupt();
    assert_false(driver.sends);
    assert_true(was_woken());
}

CASE(received_bytes_wait_and_too_many_are_counted, set_up) {
    uint8_t got[KYMO_ZEPHYR_RECEIVE_BYTES + 1u];
    assert_true(driver.receives);
    driver.to_receive = 3u;
    interrupt();
    assert_true(was_woken());
    assert_int_equal(uart.transport.read(uart.transport.context, got, 2u), 2);
    assert_int_equal(uart.transport.read(uart.transport.context, got + 2, sizeof got - 2u), 1);
    assert_int_equal(uart.transport.read(uart.transport.context, got, sizeof got), 0);
    driver.to_receive = KYMO_ZEPHYR_RECEIVE_BYTES + 5u;
    interrupt();
    assert_int_equal(driver.to_receive, 0);
    assert_int_equal(uart.receive_overflows, 5);
    assert_int_equal(uart.transport.read(uart.transport.context, got, sizeof got),
                     KYMO_ZEPHYR_RECEIVE_BYTES);
    for (unsigned i = 0u; i < KYMO_ZEPHYR_RECEIVE_BYTES; i++) {
        assert_int_equal(got[i], i + 3u);
    }
}

CASE(a_device_that_cannot_is_told, set_up) {
    driver.ready = false;
    assert_int_equal(kymo_zephyr_uart_init(&uart, &device, &wake), -ENODEV);
    driver.ready = true;
    driver.set_error = -ENOSYS;
    assert_int_equal(kymo_zephyr_uart_init(&uart, &device, &wake), -ENOSYS);
    assert_false(driver.receives);
}
