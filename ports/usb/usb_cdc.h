/* SPDX-License-Identifier: MIT */
/* A serial port on USB (CDC-ACM, abstract control model) as a transport: never waits, by polling or with
 * interrupts. Linux has it as /dev/ttyACM0, macOS as /dev/cu.usbmodem..., Windows as a COM port; no driver
 * is needed.
 *
 *   - Bytes go to the host while it has the port open (DTR); else they wait, and write() takes no more. The
 *     one packet that was armed when the port closed is the first that the next opener gets.
 *   - Bytes from the host are taken at all times, so that no program of the host hangs on it: without DTR they
 *     are thrown away, and bytes that nobody reads in time are dropped and counted.
 *   - Bus reset, cable out and in, suspend: bytes count as sent when the host has acknowledged them, so
 *     the trace goes on where it was.
 *
 * Call everything but init from any context of one core, including interrupt handlers of any level; a call that
 * finds another one at work does nothing and returns at once. Do not call it from another core. Cost: a call moves
 * at most as many bytes as the buffers of usb_config.h hold. */
#ifndef KYMO_USB_CDC_H
#define KYMO_USB_CDC_H

#include "fifo.h"
#include "kymo/transport.h"
#include "usb_config.h"
#include "usb_device.h"

KYMO_C_BEGIN

/* Fill it in for kymo_usb_cdc_init(); it need not outlive the call. */
struct kymo_usb_cdc_config {
    const struct kymo_usb_controller *controller; /* of a driver; must last */
    /* The serial number: the chip's own number, at most 15 bytes, must last. Shown in
     * hexadecimal, in this order. 0 bytes: the device has no serial number. */
    const uint8_t *chip_id;
    size_t chip_id_bytes;
};

/* One port. Owned by the caller; the fields are private to the driver. */
struct kymo_usb_cdc {
    struct kymo_usb_device device;
    const uint8_t *chip_id;
    size_t chip_id_bytes;
    bool open;        /* DTR */
    bool out_ready;   /* towards the host: endpoint open, not halted */
    bool out_armed;   /* a packet of "out_bytes" is under way, which is still in "output" */
    bool out_end_due; /* the last packet was full: the host waits for more or for an empty one */
    uint8_t out_bytes;
    bool notify_ready, notify_armed;
    uint8_t notify_due; /* bits of the next SERIAL_STATE to send; 0: nothing to send */
    uint8_t line_coding[7];
    uint32_t lost_bytes;
    struct kymo_fifo output, input;
    uint8_t output_bytes[KYMO_USB_OUTPUT_BYTES];
    uint8_t input_bytes[KYMO_USB_INPUT_BYTES];
    struct kymo_transport transport;
};

/* Sets the port up and plugs it in. False, and not plugged in, if the chip's id is too long. */
bool kymo_usb_cdc_init(struct kymo_usb_cdc *cdc, const struct kymo_usb_cdc_config *config);

/* The transport for kymo_init(); valid as long as *cdc. Its functions do kymo_usb_cdc_poll() as well. */
static inline const struct kymo_transport *kymo_usb_cdc_transport(const struct kymo_usb_cdc *cdc) {
    return &cdc->transport;
}

/* Handles all that the controller has to report. For the controller's interrupt handler, which has nothing else to
 * do; or, without interrupts, as often as can be: a host gives up a request after 50 ms and more
 * (USB 2.0, 9.2.6). */
void kymo_usb_cdc_poll(struct kymo_usb_cdc *cdc);

/* Plugs in or out, for firmware that goes on to another program. False: another call is at work. */
static inline bool kymo_usb_cdc_attach(struct kymo_usb_cdc *cdc, bool on) {
    return kymo_usb_device_attach(&cdc->device, on);
}

/* True while the host has the port open. */
static inline bool kymo_usb_cdc_open(const struct kymo_usb_cdc *cdc) { return cdc->open; }

/* True while the bus is suspended: the board shall draw at most 2.5 mA (USB 2.0, 7.2.3). */
static inline bool kymo_usb_cdc_suspended(const struct kymo_usb_cdc *cdc) {
    return cdc->device.suspended;
}

/* True when the host has everything, or nobody has the port open. */
bool kymo_usb_cdc_idle(struct kymo_usb_cdc *cdc);

/* Bytes of the host's that were dropped. Wraps. */
static inline uint32_t kymo_usb_cdc_lost_bytes(const struct kymo_usb_cdc *cdc) {
    return cdc->lost_bytes;
}

KYMO_C_END

#endif
