/* SPDX-License-Identifier: MIT */
#ifndef MODEL_UART_H
#define MODEL_UART_H

#include "esp_err.h"
#include "freertos/FreeRTOS.h"

typedef int uart_port_t;
typedef struct model_queue *QueueHandle_t;
enum {
    UART_DATA_8_BITS = 3,
    UART_PARITY_DISABLE = 0,
    UART_STOP_BITS_1 = 1,
    UART_HW_FLOWCTRL_DISABLE = 0,
    UART_SCLK_DEFAULT = 4
};
#define UART_PIN_NO_CHANGE (-1)

typedef struct {
    int baud_rate;
    int data_bits, parity, stop_bits, flow_ctrl, source_clk;
} uart_config_t;

esp_err_t uart_driver_install(uart_port_t port, int receive_bytes, int send_bytes, int queue_size,
                              QueueHandle_t *queue, int flags);
esp_err_t uart_param_config(uart_port_t port, const uart_config_t *config);
esp_err_t uart_set_pin(uart_port_t port, int transmit, int receive, int rts, int cts);
esp_err_t uart_get_tx_buffer_free_size(uart_port_t port, size_t *size);
int uart_write_bytes(uart_port_t port, const void *bytes, size_t size);
int uart_read_bytes(uart_port_t port, void *bytes, uint32_t length, uint32_t ticks);

#endif
