/* SPDX-License-Identifier: MIT */
/* ESP-IDF's two drivers as far as the component uses them: a ring that the line empties, tick by tick, to standard
 * output. A call that would wait, or that the driver would refuse, ends the program. */
#include <assert.h>
#include <stdio.h>

#include "driver/uart.h"
#include "driver/usb_serial_jtag.h"
#include "model.h"
#include "sdkconfig.h"

static size_t size, fill;
static char ring[65536];
static bool uart_is_set_up;

void model_tick(void) {
    const size_t line = LINE_BYTES; /* in a tick */
    const size_t count = fill < line ? fill : line;
    fwrite(ring, 1u, count, stdout);
    for (size_t i = count; i < fill; i++) {
        ring[i - count] = ring[i];
    }
    fill -= count;
}

static void put(const void *bytes, size_t count) {
    for (size_t i = 0u; i < count; i++) {
        ring[fill++] = ((const char *)bytes)[i];
    }
}

/* ---- UART: a write that does not fit waits; each takes 24 bytes of the ring besides its own ---- */

esp_err_t uart_driver_install(uart_port_t port, int receive_bytes, int send_bytes, int queue_size,
                              QueueHandle_t *queue, int flags) {
    assert(size == 0u && receive_bytes > 128 && send_bytes > 128 && queue_size == 0 &&
           queue == NULL && flags == 0);
    size = (size_t)send_bytes;
    return port == 1 ? ESP_OK : ESP_FAIL;
}
esp_err_t uart_param_config(uart_port_t port, const uart_config_t *config) {
    (void)port;
    assert(config->baud_rate == 921600 && config->data_bits == UART_DATA_8_BITS);
    return ESP_OK;
}
esp_err_t uart_set_pin(uart_port_t port, int transmit, int receive, int rts, int cts) {
    (void)port;
    assert(transmit == 4 && receive == 5 && rts == UART_PIN_NO_CHANGE && cts == UART_PIN_NO_CHANGE);
    uart_is_set_up = true;
    return ESP_OK;
}
esp_err_t uart_get_tx_buffer_free_size(uart_port_t port, size_t *room) {
    (void)port;
    *room = size - fill;
    return ESP_OK;
}
int uart_write_bytes(uart_port_t port, const void *bytes, size_t count) {
    (void)port;
    assert(uart_is_set_up && !model_is_masked && count != 0u && fill + count + 24u <= size);
    put(bytes, count);
    return (int)count;
}
int uart_read_bytes(uart_port_t port, void *bytes, uint32_t length, uint32_t ticks) {
    (void)port;
    (void)bytes;
    (void)length;
    assert(ticks == 0u);
    return 0;
}

/* ---- USB Serial/JTAG: all of a write or nothing ---- */

esp_err_t usb_serial_jtag_driver_install(usb_serial_jtag_driver_config_t *config) {
    assert(size == 0u && config->rx_buffer_size > 64u && config->intr_priority == 0);
    size = config->tx_buffer_size;
    return ESP_OK;
}
int usb_serial_jtag_read_bytes(void *bytes, uint32_t length, uint32_t ticks) {
    (void)bytes;
    (void)length;
    assert(ticks == 0u);
    return 0;
}
int usb_serial_jtag_write_bytes(const void *bytes, size_t count, uint32_t ticks) {
    assert(size != 0u && !model_is_masked && count != 0u && ticks == 0u);
    if (fill + count > size) {
        return 0;
    }
    put(bytes, count);
    return (int)count;
}
