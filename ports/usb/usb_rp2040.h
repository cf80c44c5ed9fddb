/* The USB device controller of the RP2040, a driver for the stack of usb_device.h.
 *
 * "RP2040 Datasheet", section 4.1. Every endpoint number can be opened both ways, each with one buffer.
 * Clocks and resets are the board's business: clk_usb of 48 MHz (2.15, 2.18) and the block out of reset
 * (2.14). Not tried on silicon; of the errata there
 *   E2   (chips B0, B1)  a packet is revoked without EP_ABORT, as that does not work there
 *   E5   (chips B0, B1)  no work-around: behind a busy hub such a chip may not be recognized
 *   E15                  with interrupts on a bulk packet to the host that is armed in the last fifth of a
 *                        frame waits for the next one, by the TIMER's microseconds (4.6); without interrupts
 *                        no work-around: certain bus errors in a bulk packet can stop the controller
 *
 * The controller cannot tell a cable that is out from a host that sleeps: VBUS is said to be there always,
 * as the boards lead it to no pin that could. So both are reported as a suspended bus. */
#ifndef KYMO_USB_RP2040_H
#define KYMO_USB_RP2040_H

#include <stdbool.h>
#include <stdint.h>

#include "usb_controller.h"

/* Number of the interrupt at the NVIC (2.3.2). */
#define USB_RP2040_INTERRUPT 5u

#define USB_RP2040_ENDPOINTS 16u

/* One direction of one endpoint. */
struct usb_rp2040_endpoint {
    uint8_t max_bytes;
    bool bulk;
    bool armed;
    bool held;  /* armed, but not available to the host before the next frame */
    bool data1; /* the next packet is DATA1 */
};

/* The controller; there is one. Owned by the caller; the fields are private to the driver. */
struct usb_rp2040 {
    struct usb_rp2040_endpoint in[USB_RP2040_ENDPOINTS];
    struct usb_rp2040_endpoint out[USB_RP2040_ENDPOINTS];
    bool has_abort;
    bool suspended;
    bool wanted;       /* interrupts, by the firmware */
    bool open;         /* and by the stack */
    bool framed;       /* a bulk IN endpoint is open */
    uint32_t frame_us; /* when the frame began */
    struct usb_controller controller;
};

/* Sets the controller up, detached, without interrupts. Once, after its reset is released. */
void usb_rp2040_init(struct usb_rp2040 *driver);

/* For usb_device.h; valid as long as *driver. */
static inline const struct usb_controller *usb_rp2040_controller(const struct usb_rp2040 *driver) {
    return &driver->controller;
}

/* Whether what happens on the bus raises USB_RP2040_INTERRUPT; off after init, for a device that is
 * polled. The handler polls the device. */
void usb_rp2040_interrupts(struct usb_rp2040 *driver, bool on);

#endif
