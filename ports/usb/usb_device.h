/* SPDX-License-Identifier: MIT */
/* The device side of USB 2.0's chapter 9: control transfers on endpoint 0, standard requests, and a class's
 * additions (struct kymo_usb_function). One configuration, full speed.
 *
 * All of this belongs to one context at a time. A caller from outside, an interrupt handler or the main loop, goes
 * through kymo_usb_device_enter(), which lets one in and keeps the controller's interrupt out meanwhile. So any
 * context of one core may try at any time, and nobody waits. */
#ifndef KYMO_USB_DEVICE_H
#define KYMO_USB_DEVICE_H

#include "kymo/language.h"
#include "usb_controller.h"

KYMO_C_BEGIN

/* A SETUP packet (USB 2.0, table 9-2). */
struct kymo_usb_setup {
    uint8_t type, request;
    uint16_t value, index, length;
};

/* The device's function. "context" is that of kymo_usb_device_init(). */
struct kymo_usb_function {
    const uint8_t *configuration; /* descriptor with all that follows it, wTotalLength bytes */

    /* Writes the descriptor of that type (USB 2.0, table 9-5) and index, other than the configuration's, into
     * 64 bytes; its length, or 0 if it does not exist. */
    size_t (*descriptor)(void *context, unsigned type, unsigned index, uint8_t *bytes);

    /* The host has configured the device, or it is no longer configured. */
    void (*configured)(void *context, bool on);

    /* On: the endpoint is open, nothing is armed, packets can be. Off: halted or closed; an armed packet is
     * dropped, and nothing can be armed until it is on again. On may come twice. */
    void (*ready)(void *context, uint8_t endpoint, bool on);

    /* A request of class type; "bytes" are its "length" bytes from the host. An answer is given by
     * kymo_usb_device_reply(). False refuses it. */
    bool (*request)(void *context, const struct kymo_usb_setup *setup, const uint8_t *bytes,
                    size_t length);

    /* Like kymo_usb_on_sent() and kymo_usb_on_received(), for endpoints that are ready. */
    void (*sent)(void *context, uint8_t endpoint);
    void (*received)(void *context, uint8_t endpoint, const uint8_t *bytes, size_t length);
};

enum kymo_usb_stage {
    KYMO_USB_STAGE_NONE,     /* no transfer, or a refused one: until the next SETUP */
    KYMO_USB_STAGE_DATA_IN,  /* the host takes the answer */
    KYMO_USB_STAGE_DATA_OUT, /* the host sends the request's data */
    KYMO_USB_STAGE_STATUS_IN,
};

/* One device. Owned by the caller; the fields are private to the stack. */
struct kymo_usb_device {
    const struct kymo_usb_controller *controller;
    const struct kymo_usb_function *function;
    void *context;
    volatile bool entered;
    bool attached, suspended;
    uint8_t configuration; /* 0 or 1: USB 2.0, 9.1.1.5 */
    uint32_t halted;       /* bit: endpoint number, + 16 for IN */

    enum kymo_usb_stage stage;
    struct kymo_usb_setup setup;
    bool address_due;     /* the address in "setup" counts after the status stage */
    const uint8_t *reply; /* the rest of the answer */
    uint16_t reply_bytes;
    bool reply_short;   /* it is shorter than asked for, so a packet that is not full must end it */
    uint8_t buffer[64]; /* answers that are not constant; bytes of the host's */
    uint8_t buffer_bytes; /* how many of the host's are there */
};

/* Before any other call. The device is not attached yet. "controller" and "function" must last. */
void kymo_usb_device_init(struct kymo_usb_device *device,
                          const struct kymo_usb_controller *controller,
                          const struct kymo_usb_function *function, void *context);

/* Plugs the device in, or out: for firmware that goes on to another program. Any context of the core that
 * entered; false if another context is in between. */
bool kymo_usb_device_attach(struct kymo_usb_device *device, bool on);

/* Takes the device for the caller, or returns false at once: then the caller has interrupted a context that has
 * it, which will handle the controller's interrupt that the caller may have been called for. */
bool kymo_usb_device_enter(struct kymo_usb_device *device);
void kymo_usb_device_leave(struct kymo_usb_device *device);

/* The answer of a request that is being made; constant, or in kymo_usb_device.buffer. Inside only. */
static inline void kymo_usb_device_reply(struct kymo_usb_device *device, const uint8_t *bytes,
                                         size_t length) {
    device->reply = bytes;
    device->reply_bytes = (uint16_t)length;
}

KYMO_C_END

#endif
