/* SPDX-License-Identifier: MIT */
#include "usb_standard.h"

#include "usb_constants.h"

/* ---- endpoints, as the configuration descriptor has them ---- */

#define ALL_INTERFACES 0x100u

static uint16_t word(const uint8_t *bytes) { return (uint16_t)(bytes[0] | bytes[1] << 8); }

static uint32_t halt_bit(unsigned endpoint) {
    return 1u << ((endpoint & 0xfu) + ((endpoint & USB_ENDPOINT_IN) != 0u ? 16u : 0u));
}

/* Calls "visit" with each endpoint descriptor of that interface. */
static void each_endpoint(struct kymo_usb_device *device, unsigned interface,
                          void (*visit)(struct kymo_usb_device *device, const uint8_t *endpoint)) {
    const uint8_t *at = device->function->configuration;
    const uint8_t *end = at + word(at + 2);
    unsigned current = 0u;
    for (; at < end; at += at[0]) {
        if (at[1] == USB_DESCRIPTOR_INTERFACE) {
            current = at[2];
        } else if (at[1] == USB_DESCRIPTOR_ENDPOINT &&
                   (interface == ALL_INTERFACES || interface == current)) {
            visit(device, at);
        }
    }
}

static bool has_endpoint(const struct kymo_usb_device *device, unsigned address) {
    const uint8_t *at = device->function->configuration;
    const uint8_t *end = at + word(at + 2);
    for (; at < end; at += at[0]) {
        if (at[1] == USB_DESCRIPTOR_ENDPOINT && at[2] == address) {
            return device->configuration != 0u;
        }
    }
    return false;
}

static bool has_interface(const struct kymo_usb_device *device, unsigned number) {
    return device->configuration != 0u && number < device->function->configuration[4];
}

static void open_endpoint(struct kymo_usb_device *device, const uint8_t *endpoint) {
    const unsigned type = endpoint[3] & 3u;
    device->halted &= ~halt_bit(endpoint[2]);
    device->controller->open(device->controller->context, endpoint[2],
                             (enum kymo_usb_endpoint_type)type, word(endpoint + 4));
    device->function->ready(device->context, endpoint[2], true);
}

static void close_endpoint(struct kymo_usb_device *device, const uint8_t *endpoint) {
    device->function->ready(device->context, endpoint[2], false);
}

void kymo_usb_standard_unconfigure(struct kymo_usb_device *device) {
    if (device->configuration != 0u) {
        each_endpoint(device, ALL_INTERFACES, close_endpoint);
        device->configuration = 0u;
        device->function->configured(device->context, false);
    }
}

/* ---- the requests: USB 2.0, 9.4.1 to 9.4.11 ---- */

static bool reply_bytes(struct kymo_usb_device *device, unsigned first, unsigned second,
                        size_t length) {
    device->buffer[0] = (uint8_t)first;
    device->buffer[1] = (uint8_t)second;
    kymo_usb_device_reply(device, device->buffer, length);
    return true;
}

/* The device's two bits are 0: bus-powered, no remote wakeup. */
static bool get_status(struct kymo_usb_device *device, unsigned recipient) {
    const unsigned index = device->setup.index;
    if (device->setup.value != 0u || device->setup.length != 2u) {
        return false;
    }
    switch (recipient) {
    case USB_TO_DEVICE:
        return index == 0u && reply_bytes(device, 0u, 0u, 2u);
    case USB_TO_INTERFACE:
        return has_interface(device, index) && reply_bytes(device, 0u, 0u, 2u);
    case USB_TO_ENDPOINT:
        if ((index & ~USB_ENDPOINT_IN) == 0u) {
            return reply_bytes(device, 0u, 0u, 2u);
        }
        return has_endpoint(device, index) &&
               reply_bytes(device,
                           (device->halted & halt_bit(index)) != 0u ? USB_STATUS_HALTED : 0u, 0u,
                           2u);
    default:
        return false;
    }
}

/* Clearing resets the data toggle, halted or not (9.4.5). Endpoint 0 is never halted. */
static bool set_halt(struct kymo_usb_device *device, bool on) {
    const unsigned endpoint = device->setup.index;
    if (device->setup.value != USB_FEATURE_ENDPOINT_HALT || device->setup.length != 0u) {
        return false;
    }
    if ((endpoint & ~USB_ENDPOINT_IN) == 0u) {
        return !on;
    }
    if (!has_endpoint(device, endpoint)) {
        return false;
    }
    device->halted &= ~halt_bit(endpoint);
    device->halted |= on ? halt_bit(endpoint) : 0u;
    device->controller->halt(device->controller->context, (uint8_t)endpoint, on);
    device->function->ready(device->context, (uint8_t)endpoint, !on);
    return true;
}

static bool set_address(struct kymo_usb_device *device) {
    const struct kymo_usb_setup *setup = &device->setup;
    if (setup->value > USB_ADDRESS_MOST || setup->index != 0u || setup->length != 0u ||
        device->configuration != 0u) {
        return false;
    }
    device->address_due = !device->controller->address_early;
    if (device->controller->address_early) {
        device->controller->address(device->controller->context, (uint8_t)setup->value);
    }
    return true;
}

/* Device qualifier and other speed are refused, which says that there is no high speed (9.6.2). */
static bool get_descriptor(struct kymo_usb_device *device) {
    const struct kymo_usb_function *function = device->function;
    const unsigned type = device->setup.value >> 8;
    const unsigned index = device->setup.value & 0xffu;
    if (type == USB_DESCRIPTOR_CONFIGURATION) {
        kymo_usb_device_reply(device, function->configuration, word(function->configuration + 2));
        return index == 0u;
    }
    const size_t length = function->descriptor(device->context, type, index, device->buffer);
    kymo_usb_device_reply(device, device->buffer, length);
    return length != 0u;
}

/* Choosing the same configuration restarts all its endpoints (9.1.1.5). */
static bool set_configuration(struct kymo_usb_device *device) {
    const struct kymo_usb_setup *setup = &device->setup;
    if (setup->value > 1u || setup->index != 0u || setup->length != 0u) {
        return false;
    }
    device->controller->close(device->controller->context);
    kymo_usb_standard_unconfigure(device);
    if (setup->value == 1u) {
        device->configuration = 1u;
        device->function->configured(device->context, true);
        each_endpoint(device, ALL_INTERFACES, open_endpoint);
    }
    return true;
}

/* Only setting 0 exists; choosing it restarts the endpoints of the interface (9.1.1.5). */
static bool set_interface(struct kymo_usb_device *device) {
    const struct kymo_usb_setup *setup = &device->setup;
    if (setup->value != 0u || setup->length != 0u || !has_interface(device, setup->index)) {
        return false;
    }
    each_endpoint(device, setup->index, open_endpoint);
    return true;
}

static bool device_request(struct kymo_usb_device *device) {
    const struct kymo_usb_setup *setup = &device->setup;
    switch (setup->request) {
    case USB_SET_ADDRESS:
        return set_address(device);
    case USB_GET_DESCRIPTOR:
        return get_descriptor(device);
    case USB_GET_CONFIGURATION:
        return setup->value == 0u && setup->index == 0u && setup->length == 1u &&
               reply_bytes(device, device->configuration, 0u, 1u);
    case USB_SET_CONFIGURATION:
        return set_configuration(device);
    default:
        return false; /* among them remote wakeup and test modes */
    }
}

static bool interface_request(struct kymo_usb_device *device) {
    const struct kymo_usb_setup *setup = &device->setup;
    switch (setup->request) {
    case USB_GET_INTERFACE:
        return setup->value == 0u && setup->length == 1u && has_interface(device, setup->index) &&
               reply_bytes(device, 0u, 0u, 1u);
    case USB_SET_INTERFACE:
        return set_interface(device);
    default:
        return false;
    }
}

/* The direction is part of the request: GET_... are to the host, the others from it. */
static bool direction_right(const struct kymo_usb_setup *setup) {
    const bool in = (setup->type & USB_REQUEST_IN) != 0u;
    switch (setup->request) {
    case USB_GET_STATUS:
    case USB_GET_DESCRIPTOR:
    case USB_GET_CONFIGURATION:
    case USB_GET_INTERFACE:
        return in;
    default:
        return !in;
    }
}

bool kymo_usb_standard_request(struct kymo_usb_device *device) {
    const struct kymo_usb_setup *setup = &device->setup;
    const unsigned recipient = setup->type & USB_REQUEST_RECIPIENT;
    if (!direction_right(setup)) {
        return false;
    }
    if (setup->request == USB_GET_STATUS) {
        return get_status(device, recipient);
    }
    switch (recipient) {
    case USB_TO_DEVICE:
        return device_request(device);
    case USB_TO_INTERFACE:
        return interface_request(device);
    case USB_TO_ENDPOINT:
        return (setup->request == USB_SET_FEATURE || setup->request == USB_CLEAR_FEATURE) &&
               set_halt(device, setup->request == USB_SET_FEATURE);
    default:
        return false;
    }
}
