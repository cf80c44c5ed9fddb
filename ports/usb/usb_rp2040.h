/* SPDX-License-Identifier: MIT */
/* The USB device controller of the RP2040, a driver for the stack of usb_device.h.
 *
 * "RP2040 Datasheet", section 4.1. Every endpoint number can be opened both ways, each with one buffer.
 * Clocks and resets are the board's business: clk_usb of 48 MHz (2.15, 2.18) and the block out of reset
 * (2.14). Not yet tested on real hardware; of the errata there
 *   E2   (chips B0, B1)  a packet is revoked without EP_ABORT, as that does not work there
 *   E5   (chips B0, B1)  behind a busy hub such a chip may not be recognized, except with kymo_usb_rp2040_lend_gpio15()
 *   E15                  with interrupts on a bulk packet to the host that is armed in the last fifth of a
 *                        frame waits for the next one, by the TIMER's microseconds (4.6); without interrupts
 *                        no work-around: certain bus errors in a bulk packet can stop the controller
 *
 * The controller cannot tell a cable that is out from a host that sleeps: the driver reports VBUS as always there,
 * since the boards lead it to no pin that could tell. So both are reported as a suspended bus. */
#ifndef KYMO_USB_RP2040_H
#define KYMO_USB_RP2040_H

#include <stdbool.h>
#include <stdint.h>

#include "kymo/language.h"
#include "usb_controller.h"

KYMO_C_BEGIN

/* Number of the interrupt at the NVIC (2.3.2). */
#define KYMO_USB_RP2040_INTERRUPT 5u

#define KYMO_USB_RP2040_ENDPOINTS 16u

/* One direction of one endpoint. */
struct kymo_usb_rp2040_endpoint {
    uint8_t max_bytes;
    bool bulk;
    bool armed;
    bool held;  /* armed, but not available to the host before the next frame */
    bool data1; /* the next packet is DATA1 */
};

/* With a pin lent for erratum E5: how far the bus has come after its reset. */
enum kymo_usb_rp2040_start {
    KYMO_USB_RP2040_STARTED,
    KYMO_USB_RP2040_RESET,
    KYMO_USB_RP2040_FORCED
};

/* The controller; there is one. Owned by the caller; the fields are private to the driver. */
struct kymo_usb_rp2040 {
    struct kymo_usb_rp2040_endpoint in[KYMO_USB_RP2040_ENDPOINTS];
    struct kymo_usb_rp2040_endpoint out[KYMO_USB_RP2040_ENDPOINTS];
    bool has_abort;
    bool suspended;
    bool wanted;       /* interrupts, by the firmware */
    bool open;         /* and by the stack */
    bool framed;       /* a bulk IN endpoint is open */
    uint32_t frame_us; /* when the frame began */
    /* Erratum E5; NULL: no work-around. */
    void (*follow_reset)(struct kymo_usb_rp2040 *driver, bool is_reset);
    enum kymo_usb_rp2040_start bus_start;
    uint32_t forced_us;                  /* since when the bus is taken for idle */
    uint32_t gpio15_control, gpio15_pad; /* as they were before */
    struct kymo_usb_controller controller;
};

/* Sets the controller up, detached, without interrupts. Once, after its reset is released. */
void kymo_usb_rp2040_init(struct kymo_usb_rp2040 *driver);

/* For usb_device.h; valid as long as *driver. */
static inline const struct kymo_usb_controller *kymo_usb_rp2040_controller(
    const struct kymo_usb_rp2040 *driver) {
    return &driver->controller;
}

/* After init, on a board that has nothing at GPIO 15 to which a millisecond with no output does harm, and does not use
 * GPIO 16 for the debug mux: works around erratum E5 on the chips that have it, and does nothing on others. For each
 * reset of the bus the pin is taken for 1 ms, at most 8, and given back as it was. Each poll of the device does one
 * step: the bus raises no interrupt meanwhile, so call kymo_usb_cdc_poll() or kymo_drain() each millisecond
 * until the host has found the board. Uses the TIMER's microseconds (4.6). */
void kymo_usb_rp2040_lend_gpio15(struct kymo_usb_rp2040 *driver);

/* Whether events on the bus raise KYMO_USB_RP2040_INTERRUPT; off after init, for a device that is
 * polled. The handler polls the device. */
void kymo_usb_rp2040_interrupts(struct kymo_usb_rp2040 *driver, bool on);

KYMO_C_END

#endif
