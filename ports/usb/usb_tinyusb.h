/* SPDX-License-Identifier: MIT */
/* For firmware that runs TinyUSB already: one of its CDC ports (CFG_TUD_CDC) as a transport.
 *
 *     static struct kymo_transport transport;
 *     transport = kymo_usb_tinyusb_transport(0);
 *     kymo_init(&transport, "my firmware");
 *
 * Then call kymo_drain() where tud_task() is called, in the same context: TinyUSB's functions are not for
 * interrupts. Nothing is given to TinyUSB while the host has the port closed, as it would overwrite its waiting
 * bytes; bytes from the host are read at all times. The names and numbers of the device are TinyUSB's business:
 * hostlink knows it as kymo's when the product's or the interface's name has the word "kymo".
 *
 * Written against TinyUSB's src/class/cdc/cdc_device.h; compiled in the tests against the same prototypes, not
 * tried with TinyUSB itself. */
#ifndef KYMO_USB_TINYUSB_H
#define KYMO_USB_TINYUSB_H

#include "kymo/transport.h"
#include "tusb.h"

static inline size_t kymo_usb_tinyusb_write(void *context, const uint8_t *bytes, size_t length) {
    const uint8_t port = (uint8_t)(uintptr_t)context;
    const size_t taken =
        tud_cdc_n_connected(port) ? tud_cdc_n_write(port, bytes, (uint32_t)length) : 0u;
    (void)tud_cdc_n_write_flush(port);
    return taken;
}

static inline size_t kymo_usb_tinyusb_read(void *context, uint8_t *bytes, size_t length) {
    return tud_cdc_n_read((uint8_t)(uintptr_t)context, bytes, (uint32_t)length);
}

/* "port" counts TinyUSB's CDC ports from 0. */
static inline struct kymo_transport kymo_usb_tinyusb_transport(uint8_t port) {
    return (struct kymo_transport){.write = kymo_usb_tinyusb_write,
                                   .read = kymo_usb_tinyusb_read,
                                   .context = (void *)(uintptr_t)port};
}

#endif
