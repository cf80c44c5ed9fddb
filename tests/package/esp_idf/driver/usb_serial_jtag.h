/* SPDX-License-Identifier: MIT */
#ifndef MODEL_USB_SERIAL_JTAG_H
#define MODEL_USB_SERIAL_JTAG_H

#include "esp_err.h"
#include "freertos/FreeRTOS.h"

typedef struct {
    uint32_t tx_buffer_size, rx_buffer_size;
    int intr_priority;
} usb_serial_jtag_driver_config_t;

esp_err_t usb_serial_jtag_driver_install(usb_serial_jtag_driver_config_t *config);
int usb_serial_jtag_read_bytes(void *bytes, uint32_t length, uint32_t ticks);
int usb_serial_jtag_write_bytes(const void *bytes, size_t size, uint32_t ticks);

#endif
