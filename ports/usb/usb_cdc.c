/* SPDX-License-Identifier: MIT */
#include "usb_cdc.h"

#include "kymo/bytes.h"
#include "usb_constants.h"
#include "usb_descriptors.h"

/* ---- packets to the host ---- */

static void arm_output(struct kymo_usb_cdc *cdc) {
    uint8_t packet[KYMO_USB_PACKET_BYTES];
    if (!cdc->open || !cdc->out_ready || cdc->out_armed) {
        return;
    }
    const size_t length = kymo_fifo_look(&cdc->output, 0u, packet, sizeof packet);
    if (length != 0u || cdc->out_end_due) {
        const struct kymo_usb_controller *controller = cdc->device.controller;
        cdc->out_armed = true;
        cdc->out_bytes = (uint8_t)length;
        controller->send(controller->context, KYMO_USB_CDC_BULK_IN, packet, length);
    }
}

static void output_sent(struct kymo_usb_cdc *cdc) {
    kymo_fifo_drop(&cdc->output, cdc->out_bytes);
    cdc->out_end_due = cdc->out_bytes == KYMO_USB_PACKET_BYTES;
    cdc->out_armed = false;
    arm_output(cdc);
}

static void output_ready(struct kymo_usb_cdc *cdc, bool on) {
    cdc->out_ready = on;
    cdc->out_armed = false;
    cdc->out_end_due = false;
    arm_output(cdc);
}

/* PSTN 6.5.4. The carrier, which getty and others wait for, is there as long as the device is; an overrun is
 * reported once. */
static void arm_notification(struct kymo_usb_cdc *cdc) {
    const uint8_t packet[] = {USB_REQUEST_IN | USB_REQUEST_CLASS | USB_TO_INTERFACE,
                              CDC_SERIAL_STATE,
                              0u,
                              0u,
                              KYMO_USB_CDC_CONTROL_INTERFACE,
                              0u,
                              2u,
                              0u,
                              cdc->notify_due,
                              0u};
    if (cdc->notify_ready && !cdc->notify_armed && cdc->notify_due != 0u) {
        const struct kymo_usb_controller *controller = cdc->device.controller;
        cdc->notify_armed = true;
        cdc->notify_due = 0u;
        controller->send(controller->context, KYMO_USB_CDC_NOTIFY, packet, sizeof packet);
    }
}

static void notify(struct kymo_usb_cdc *cdc, unsigned state) {
    cdc->notify_due |= (uint8_t)(CDC_STATE_DCD | CDC_STATE_DSR | state);
    arm_notification(cdc);
}

static void notification_ready(struct kymo_usb_cdc *cdc, bool on) {
    cdc->notify_ready = on;
    cdc->notify_armed = false;
    if (on) {
        notify(cdc, 0u);
    }
}

/* ---- packets from the host ---- */

static void arm_input(const struct kymo_usb_cdc *cdc) {
    const struct kymo_usb_controller *controller = cdc->device.controller;
    controller->receive(controller->context, KYMO_USB_CDC_BULK_OUT);
}

static void take_input(struct kymo_usb_cdc *cdc, const uint8_t *bytes, size_t length) {
    if (cdc->open) {
        const size_t lost = length - kymo_fifo_put(&cdc->input, bytes, length);
        if (lost != 0u) {
            cdc->lost_bytes += (uint32_t)lost;
            notify(cdc, CDC_STATE_OVERRUN);
        }
    }
    arm_input(cdc);
}

/* ---- requests to the control interface: PSTN 6.3 ---- */

static void set_open(struct kymo_usb_cdc *cdc, bool open) {
    if (cdc->open && !open) {
        kymo_fifo_drop(&cdc->input, cdc->input.count);
    }
    cdc->open = open;
    arm_output(cdc);
}

/* There is no line whose rate or format it could change, so it is only kept. */
static bool set_line_coding(struct kymo_usb_cdc *cdc, const uint8_t *bytes, size_t length) {
    if (length != CDC_LINE_CODING_BYTES) {
        return false;
    }
    kymo_put_bytes(cdc->line_coding, bytes, CDC_LINE_CODING_BYTES);
    return true;
}

#define TO_HOST (USB_REQUEST_IN | USB_REQUEST_CLASS | USB_TO_INTERFACE)
#define FROM_HOST (USB_REQUEST_CLASS | USB_TO_INTERFACE)

static bool on_request(void *context, const struct kymo_usb_setup *setup, const uint8_t *bytes,
                       size_t length) {
    struct kymo_usb_cdc *cdc = context;
    if (cdc->device.configuration == 0u || setup->index != KYMO_USB_CDC_CONTROL_INTERFACE) {
        return false;
    }
    switch ((unsigned)setup->type << 8 | setup->request) {
    case FROM_HOST << 8 | CDC_SET_LINE_CODING:
        return setup->value == 0u && set_line_coding(cdc, bytes, length);
    case TO_HOST << 8 | CDC_GET_LINE_CODING:
        kymo_usb_device_reply(&cdc->device, cdc->line_coding, CDC_LINE_CODING_BYTES);
        return setup->value == 0u;
    case FROM_HOST << 8 | CDC_SET_CONTROL_LINE_STATE:
        if (length == 0u) {
            set_open(cdc, (setup->value & CDC_LINE_DTR) != 0u);
        }
        return length == 0u;
    case FROM_HOST << 8 | CDC_SEND_BREAK:
        return length == 0u; /* there is no line */
    default:
        return false;
    }
}

/* ---- reports of the device ---- */

/* PSTN 6.3.11: 9600 bit/s, 1 stop bit, no parity, 8 bits, until the host says something else. */
static void on_configured(void *context, bool on) {
    static const uint8_t coding[CDC_LINE_CODING_BYTES] = {
        9600u & 0xffu, 9600u >> 8, 0u, 0u, 0u, 0u, 8u};
    struct kymo_usb_cdc *cdc = context;
    set_open(cdc, false);
    if (on) {
        (void)set_line_coding(cdc, coding, sizeof coding);
    }
}

static void on_ready(void *context, uint8_t endpoint, bool on) {
    struct kymo_usb_cdc *cdc = context;
    if (endpoint == KYMO_USB_CDC_BULK_IN) {
        output_ready(cdc, on);
    } else if (endpoint == KYMO_USB_CDC_NOTIFY) {
        notification_ready(cdc, on);
    } else if (on) {
        arm_input(cdc);
    }
}

static void on_sent(void *context, uint8_t endpoint) {
    struct kymo_usb_cdc *cdc = context;
    if (endpoint == KYMO_USB_CDC_BULK_IN) {
        output_sent(cdc);
    } else {
        cdc->notify_armed = false;
        arm_notification(cdc);
    }
}

static void on_received(void *context, uint8_t endpoint, const uint8_t *bytes, size_t length) {
    (void)endpoint;
    take_input(context, bytes, length);
}

static size_t on_descriptor(void *context, unsigned type, unsigned index, uint8_t *bytes) {
    const struct kymo_usb_cdc *cdc = context;
    return kymo_usb_descriptor(type, index, cdc->chip_id, cdc->chip_id_bytes, bytes);
}

/* ---- the firmware's side ---- */

static bool enter(struct kymo_usb_cdc *cdc) {
    struct kymo_usb_device *device = &cdc->device;
    if (!kymo_usb_device_enter(device)) {
        return false;
    }
    device->controller->poll(device->controller->context, device);
    return true;
}

void kymo_usb_cdc_poll(struct kymo_usb_cdc *cdc) {
    if (enter(cdc)) {
        kymo_usb_device_leave(&cdc->device);
    }
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t length) {
    struct kymo_usb_cdc *cdc = context;
    size_t written = 0u;
    if (enter(cdc)) {
        if (cdc->open) {
            written = kymo_fifo_put(&cdc->output, bytes, length);
            arm_output(cdc);
        }
        kymo_usb_device_leave(&cdc->device);
    }
    return written;
}

static size_t read_bytes(void *context, uint8_t *bytes, size_t length) {
    struct kymo_usb_cdc *cdc = context;
    size_t count = 0u;
    if (enter(cdc)) {
        count = kymo_fifo_look(&cdc->input, 0u, bytes, length);
        kymo_fifo_drop(&cdc->input, count);
        kymo_usb_device_leave(&cdc->device);
    }
    return count;
}

bool kymo_usb_cdc_idle(struct kymo_usb_cdc *cdc) {
    bool idle = false;
    if (enter(cdc)) {
        idle = !cdc->open || (cdc->output.count == 0u && !cdc->out_end_due);
        kymo_usb_device_leave(&cdc->device);
    }
    return idle;
}

bool kymo_usb_cdc_init(struct kymo_usb_cdc *cdc, const struct kymo_usb_cdc_config *config) {
    static const struct kymo_usb_function function = {.configuration =
                                                          kymo_usb_descriptor_configuration,
                                                      .descriptor = on_descriptor,
                                                      .configured = on_configured,
                                                      .ready = on_ready,
                                                      .request = on_request,
                                                      .sent = on_sent,
                                                      .received = on_received};
    if (config->chip_id_bytes > KYMO_USB_CHIP_ID_BYTES) {
        return false;
    }
    kymo_put_zeros(cdc, sizeof *cdc);
    cdc->chip_id = config->chip_id;
    cdc->chip_id_bytes = config->chip_id_bytes;
    kymo_fifo_init(&cdc->output, cdc->output_bytes, sizeof cdc->output_bytes);
    kymo_fifo_init(&cdc->input, cdc->input_bytes, sizeof cdc->input_bytes);
    kymo_transport_set(&cdc->transport, write_bytes, read_bytes, cdc);
    kymo_usb_device_init(&cdc->device, config->controller, &function, cdc);
    return kymo_usb_device_attach(&cdc->device, true);
}
