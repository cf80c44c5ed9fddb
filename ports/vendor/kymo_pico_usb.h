/* SPDX-License-Identifier: MIT */
/* The RP2040's USB as a serial port by kymo's own driver (ports/usb), for firmware with pico-sdk. It replaces TinyUSB
 * and stdio_usb, whose output waits for the host. Add usb_cdc and usb_rp2040 to TRANSPORTS. Libraries of pico-sdk:
 * hardware_irq, hardware_resets, pico_unique_id.
 *
 *     kymo_init(kymo_pico_usb_start(), "my firmware");
 *
 * Include it in one source file. Call kymo_drain() on the core that called kymo_pico_usb_start(). pico-sdk starts
 * clk_usb before main(). */
#ifndef KYMO_PICO_USB_H
#define KYMO_PICO_USB_H

#include "hardware/irq.h"
#include "hardware/resets.h"
#include "pico/unique_id.h"
#include "usb_cdc.h"
#include "usb_rp2040.h"

#if !PICO_RP2040
#error "kymo_pico_usb.h knows the RP2040; other chips have other addresses"
#endif

/* The serial port, for kymo_usb_cdc_open() and similar calls. */
static struct kymo_usb_cdc kymo_pico_usb;
static struct kymo_usb_rp2040 kymo_pico_usb_controller;

static inline void kymo_pico_usb_interrupt(void) { kymo_usb_cdc_poll(&kymo_pico_usb); }

/* Connects to the bus and returns the transport for kymo_init(), in static memory. Call it once, from main code. The
 * serial number is that of the flash chip. Ends in pico-sdk's panic() if TinyUSB has the interrupt. */
static inline const struct kymo_transport *kymo_pico_usb_start(void) {
    static pico_unique_board_id_t id;
    struct kymo_usb_cdc_config config;
    pico_get_unique_board_id(&id);
    reset_block(RESETS_RESET_USBCTRL_BITS);
    unreset_block_wait(RESETS_RESET_USBCTRL_BITS);
    kymo_usb_rp2040_init(&kymo_pico_usb_controller);
    config.controller = kymo_usb_rp2040_controller(&kymo_pico_usb_controller);
    config.chip_id = id.id;
    config.chip_id_bytes = sizeof id.id;
    (void)kymo_usb_cdc_init(&kymo_pico_usb, &config);
    kymo_usb_rp2040_interrupts(&kymo_pico_usb_controller, true);
    irq_set_exclusive_handler(USBCTRL_IRQ, kymo_pico_usb_interrupt);
    irq_set_enabled(USBCTRL_IRQ, true);
    return kymo_usb_cdc_transport(&kymo_pico_usb);
}

#endif
