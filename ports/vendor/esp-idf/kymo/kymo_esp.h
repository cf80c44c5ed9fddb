/* SPDX-License-Identifier: MIT */
/* kymo in ESP-IDF: first in app_main(),
 *
 *     kymo_esp_start();
 *
 * starts the driver and the task that sends, as menuconfig says ("kymo profiler"). */
#ifndef KYMO_ESP_H
#define KYMO_ESP_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/kymo.h"
#include "sdkconfig.h"

KYMO_C_BEGIN

#if KYMO_ENABLE && !defined(CONFIG_KYMO_WAY_OWN)

/* Call it once, from a task. Returns false if a driver or the task cannot be had; the reason is in ESP-IDF's log of the
 * driver. With several cores, the core that calls it handles the driver's interrupts and sends. */
bool kymo_esp_start(void);

/* Ends the trace, and returns true when the driver has all of it; false: not within timeout_ms, or it was never
 * started. Wait for the driver (uart_wait_tx_done(), usb_serial_jtag_wait_tx_done()) before a reset. From a task. */
bool kymo_esp_finish(uint32_t timeout_ms);

#else

static inline bool kymo_esp_start(void) { return true; }
static inline bool kymo_esp_finish(uint32_t timeout_ms) {
    (void)timeout_ms;
    return true;
}

#endif

KYMO_C_END

#endif
