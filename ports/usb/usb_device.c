/* SPDX-License-Identifier: MIT */
#include "usb_device.h"

#include <stdatomic.h>

#include "kymo/bytes.h"
#include "usb_constants.h"
#include "usb_standard.h"

/* ---- one context at a time ---- */

/* An interrupt handler that finds another context in switches its interrupt off, or it would be called again and
 * again: kymo_usb_device_leave() switches it on. Contexts of one core nest, so one that comes between two lines
 * here has gone again, as a whole, before the next line. */
bool kymo_usb_device_enter(struct kymo_usb_device *device) {
    const struct kymo_usb_controller *controller = device->controller;
    const bool free = !device->entered;
    device->entered = true;
    controller->interrupts(controller->context, false);
    atomic_signal_fence(memory_order_seq_cst);
    return free;
}

void kymo_usb_device_leave(struct kymo_usb_device *device) {
    atomic_signal_fence(memory_order_seq_cst);
    device->entered = false;
    device->controller->interrupts(device->controller->context, true);
}

/* ---- stages of a control transfer: USB 2.0, 8.5.3 ---- */

static void send_reply(struct kymo_usb_device *device) {
    const size_t length =
        device->reply_bytes < KYMO_USB_PACKET_BYTES ? device->reply_bytes : KYMO_USB_PACKET_BYTES;
    const uint8_t *bytes = device->reply;
    device->reply += length;
    device->reply_bytes = (uint16_t)(device->reply_bytes - length);
    device->reply_short = device->reply_short && length == KYMO_USB_PACKET_BYTES;
    device->controller->send(device->controller->context, 0u, bytes, length);
}

/* Towards the device endpoint 0 is armed all through a transfer: a host may go on to the status stage before it
 * has taken everything (8.5.3.1), and a packet whose acknowledgement was lost comes again (8.6.4). */
static void arm_out(const struct kymo_usb_device *device) {
    device->controller->receive(device->controller->context, 0u);
}

static void start_data_in(struct kymo_usb_device *device) {
    device->reply_short = device->reply_bytes < device->setup.length;
    if (!device->reply_short) {
        device->reply_bytes = device->setup.length;
    }
    device->stage = KYMO_USB_STAGE_DATA_IN;
    arm_out(device);
    send_reply(device);
}

static void start_status_in(struct kymo_usb_device *device) {
    device->stage = KYMO_USB_STAGE_STATUS_IN;
    device->controller->send(device->controller->context, 0u, device->buffer, 0u);
}

static void refuse(struct kymo_usb_device *device) {
    device->stage = KYMO_USB_STAGE_NONE;
    device->controller->stall(device->controller->context);
}

/* The request is there with all its bytes. */
static void obey(struct kymo_usb_device *device) {
    const struct kymo_usb_setup *setup = &device->setup;
    const unsigned kind = setup->type & USB_REQUEST_TYPE;
    bool obeyed = false;
    kymo_usb_device_reply(device, device->buffer, 0u);
    if (kind == USB_REQUEST_STANDARD) {
        obeyed = kymo_usb_standard_request(device);
    } else if (kind == USB_REQUEST_CLASS) {
        obeyed =
            device->function->request(device->context, setup, device->buffer, device->buffer_bytes);
    }
    if (!obeyed) {
        refuse(device);
    } else if ((setup->type & USB_REQUEST_IN) != 0u && setup->length != 0u) {
        start_data_in(device);
    } else {
        start_status_in(device);
    }
}

static uint16_t word(const uint8_t *bytes) { return (uint16_t)(bytes[0] | bytes[1] << 8); }

void kymo_usb_on_setup(struct kymo_usb_device *device, const uint8_t bytes[8]) {
    struct kymo_usb_setup *setup = &device->setup;
    kymo_put_zeros(setup, sizeof *setup);
    setup->type = bytes[0];
    setup->request = bytes[1];
    setup->value = word(bytes + 2);
    setup->index = word(bytes + 4);
    setup->length = word(bytes + 6);
    device->stage = KYMO_USB_STAGE_NONE;
    device->address_due = false;
    device->buffer_bytes = 0u;
    if ((setup->type & USB_REQUEST_IN) != 0u || setup->length == 0u) {
        obey(device);
    } else if ((setup->type & USB_REQUEST_TYPE) == USB_REQUEST_CLASS &&
               setup->length <= sizeof device->buffer) {
        device->stage = KYMO_USB_STAGE_DATA_OUT;
        arm_out(device);
    } else {
        refuse(device); /* no standard request of the host's has data that this device takes */
    }
}

/* More than announced, or an end before it: neither is a request. */
static void take_data(struct kymo_usb_device *device, const uint8_t *bytes, size_t length) {
    const size_t missing = (size_t)device->setup.length - device->buffer_bytes;
    if (length > missing || (length < missing && length < KYMO_USB_PACKET_BYTES)) {
        refuse(device);
        return;
    }
    kymo_put_bytes(device->buffer + device->buffer_bytes, bytes, length);
    device->buffer_bytes = (uint8_t)(device->buffer_bytes + length);
    arm_out(device);
    if (length == missing) {
        obey(device);
    }
}

/* ---- reports of the driver ---- */

static void control_sent(struct kymo_usb_device *device) {
    if (device->stage == KYMO_USB_STAGE_DATA_IN) {
        if (device->reply_bytes != 0u || device->reply_short) {
            send_reply(device);
        }
    } else if (device->stage == KYMO_USB_STAGE_STATUS_IN) {
        device->stage = KYMO_USB_STAGE_NONE;
        if (device->address_due) {
            device->address_due = false;
            device->controller->address(device->controller->context, (uint8_t)device->setup.value);
        }
    }
}

void kymo_usb_on_sent(struct kymo_usb_device *device, uint8_t endpoint) {
    if ((endpoint & ~USB_ENDPOINT_IN) == 0u) {
        control_sent(device);
    } else if (device->configuration != 0u) {
        device->function->sent(device->context, endpoint);
    }
}

void kymo_usb_on_received(struct kymo_usb_device *device, uint8_t endpoint, const uint8_t *bytes,
                          size_t length) {
    if (endpoint != 0u) {
        if (device->configuration != 0u) {
            device->function->received(device->context, endpoint, bytes, length);
        }
    } else if (device->stage == KYMO_USB_STAGE_DATA_OUT) {
        take_data(device, bytes, length);
    } else if (device->stage == KYMO_USB_STAGE_DATA_IN && length == 0u) {
        device->stage = KYMO_USB_STAGE_NONE; /* the status stage */
        arm_out(device);
    } else {
        refuse(device);
    }
}

void kymo_usb_on_reset(struct kymo_usb_device *device) {
    device->stage = KYMO_USB_STAGE_NONE;
    device->suspended = false;
    kymo_usb_standard_unconfigure(device);
}

void kymo_usb_on_detach(struct kymo_usb_device *device) { kymo_usb_on_reset(device); }

void kymo_usb_on_suspend(struct kymo_usb_device *device) { device->suspended = true; }

void kymo_usb_on_resume(struct kymo_usb_device *device) { device->suspended = false; }

/* ---- begin and end ---- */

void kymo_usb_device_init(struct kymo_usb_device *device,
                          const struct kymo_usb_controller *controller,
                          const struct kymo_usb_function *function, void *context) {
    kymo_put_zeros(device, sizeof *device);
    device->controller = controller;
    device->function = function;
    device->context = context;
}

bool kymo_usb_device_attach(struct kymo_usb_device *device, bool on) {
    if (!kymo_usb_device_enter(device)) {
        return false;
    }
    if (device->attached != on) {
        device->attached = on;
        device->controller->attach(device->controller->context, on);
        kymo_usb_on_reset(device);
    }
    kymo_usb_device_leave(device);
    return true;
}
