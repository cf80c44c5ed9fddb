/* SPDX-License-Identifier: MIT */
/* The part of TinyUSB that ports/usb/usb_tinyusb.h uses: prototypes as its
 * class/cdc/cdc_device.h has them. The test implements them. */
#ifndef TESTS_TUSB_H
#define TESTS_TUSB_H

#include <stdbool.h>
#include <stdint.h>

bool tud_cdc_n_connected(uint8_t itf);
uint32_t tud_cdc_n_read(uint8_t itf, void *buffer, uint32_t bufsize);
uint32_t tud_cdc_n_write(uint8_t itf, void const *buffer, uint32_t bufsize);
uint32_t tud_cdc_n_write_flush(uint8_t itf);

#endif
