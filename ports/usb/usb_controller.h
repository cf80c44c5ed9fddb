/* SPDX-License-Identifier: MIT */
/* The contract between the USB device stack and the driver of a device controller.
 *
 * The driver moves packets; the stack knows their meaning. Packets are single: of each endpoint
 * and direction at most one is armed at a time, and the driver holds the endpoint's data toggle.
 *
 * Calls go both ways, always within one context at a time (usb_device.h says how that is kept):
 *   stack -> driver   the functions of struct kymo_usb_controller; none waits for the host
 *   driver -> stack   the functions kymo_usb_on_...(), called by the driver's poll() only
 *
 * Endpoints are named by their address on the bus (USB 2.0, 9.6.6): number, and 0x80 for IN. */
#ifndef KYMO_USB_CONTROLLER_H
#define KYMO_USB_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/language.h"

KYMO_C_BEGIN

struct kymo_usb_device; /* the stack, see usb_device.h */

/* Longest packet of control, bulk and interrupt endpoints at full speed (USB 2.0, 5.5.3, 5.7.3, 5.8.3).
 * Endpoint 0 has this size; it is open whenever the device is attached. */
#define KYMO_USB_PACKET_BYTES 64u

/* Values of bmAttributes (USB 2.0, table 9-13). */
enum kymo_usb_endpoint_type {
    KYMO_USB_ENDPOINT_CONTROL = 0,
    KYMO_USB_ENDPOINT_BULK = 2,
    KYMO_USB_ENDPOINT_INTERRUPT = 3,
};

struct kymo_usb_controller {
    /* Pull-up on or off, called only where that changes. Off: the host sees the device unplugged, nothing is
     * armed or open any more. */
    void (*attach)(void *context, bool on);

    /* Takes the address that the host gave. The stack calls it when the status stage of SET_ADDRESS is
     * through; with "address_early" before that stage is armed. */
    void (*address)(void *context, uint8_t address);

    /* Opens an endpoint other than 0: next packet DATA0, not halted, nothing armed. On an endpoint that is
     * open the same again. "max_bytes" is 1 to 64. */
    void (*open)(void *context, uint8_t endpoint, enum kymo_usb_endpoint_type type,
                 unsigned max_bytes);

    /* Closes all endpoints but 0; packets armed on them are dropped. */
    void (*close)(void *context);

    /* Endpoint other than 0. On: answers STALL until it is off again or opened; an armed packet is dropped.
     * Off: next packet DATA0, nothing armed. */
    void (*halt)(void *context, uint8_t endpoint, bool on);

    /* Endpoint 0 answers STALL, IN and OUT, until the next SETUP. */
    void (*stall)(void *context);

    /* Arms one IN packet of 0 to the endpoint's greatest number of bytes, which are copied. Called only
     * where nothing is armed. kymo_usb_on_sent() follows once the host has acknowledged it. */
    void (*send)(void *context, uint8_t endpoint, const uint8_t *bytes, size_t length);

    /* Arms an OUT endpoint for one packet; until then it answers NAK. kymo_usb_on_received() follows. Called
     * only where nothing is armed. */
    void (*receive)(void *context, uint8_t endpoint);

    /* Reports everything that has happened since the last call, through kymo_usb_on_...(), and acknowledges it
     * to the controller. Bounded; reports nothing when there is nothing. */
    void (*poll)(void *context, struct kymo_usb_device *device);

    /* Off: the controller raises no interrupt, and remembers events. On: raises those which the
     * firmware has enabled at the driver, at once where something is pending. Callable at any time. */
    void (*interrupts)(void *context, bool on);

    void *context;
    bool address_early; /* the controller itself holds a new address back until the status stage */
};

/* ---- reports of the driver, oldest first ----
 *
 * The stack may call the controller's functions from within each of them. */

/* The host has reset the bus. Before the call the driver takes address 0, closes all endpoints but 0,
 * drops all that is armed, endpoint 0 included, and forgets anything not yet reported. */
void kymo_usb_on_reset(struct kymo_usb_device *device);

/* A SETUP packet, which a device always accepts (USB 2.0, 8.5.3). Before the call the driver drops packets
 * armed on endpoint 0, ends its STALL, and makes DATA1 the next toggle of both its directions. Events of the
 * previous control transfer are reported before it or not at all. */
void kymo_usb_on_setup(struct kymo_usb_device *device, const uint8_t setup[8]);

/* The packet of kymo_usb_controller.send() has been acknowledged by the host. */
void kymo_usb_on_sent(struct kymo_usb_device *device, uint8_t endpoint);

/* A packet has arrived; the endpoint answers NAK until receive() is called again. "bytes" are the caller's.
 * One that the host repeated, with the toggle of the one before, is acknowledged and not reported. */
void kymo_usb_on_received(struct kymo_usb_device *device, uint8_t endpoint, const uint8_t *bytes,
                          size_t length);

/* The bus has been idle for 3 ms (USB 2.0, 7.1.7.6); it is in use again. */
void kymo_usb_on_suspend(struct kymo_usb_device *device);
void kymo_usb_on_resume(struct kymo_usb_device *device);

/* The cable is out, where the controller sees that. What kymo_usb_on_reset() says is true here, too. */
void kymo_usb_on_detach(struct kymo_usb_device *device);

KYMO_C_END

#endif
