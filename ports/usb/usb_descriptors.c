/* SPDX-License-Identifier: MIT */
#include "usb_descriptors.h"

#include "kymo/bytes.h"
#include "usb_config.h"
#include "usb_constants.h"
#include "usb_controller.h"

enum { STRING_LANGUAGES, STRING_MANUFACTURER, STRING_PRODUCT, STRING_SERIAL, STRING_INTERFACE };

#define STRING_CHARACTERS 31u

_Static_assert(sizeof KYMO_USB_MANUFACTURER <= STRING_CHARACTERS + 1u,
               "KYMO_USB_MANUFACTURER is too long");
_Static_assert(sizeof KYMO_USB_PRODUCT <= STRING_CHARACTERS + 1u, "KYMO_USB_PRODUCT is too long");
_Static_assert(sizeof KYMO_USB_INTERFACE <= STRING_CHARACTERS + 1u,
               "KYMO_USB_INTERFACE is too long");

#define WORD(value) (value) & 0xffu, (value) >> 8 & 0xffu

/* clang-format off */

/* USB 2.0, table 9-8: USB 2.0 at full speed, release 1.00. Windows finds interfaces that belong together by an
 * association, so that is announced. */
static const uint8_t device_descriptor[USB_DEVICE_BYTES] = {
    USB_DEVICE_BYTES, USB_DESCRIPTOR_DEVICE, WORD(0x0200u),
    USB_CLASS_MISCELLANEOUS, USB_SUBCLASS_COMMON, USB_PROTOCOL_ASSOCIATION, KYMO_USB_PACKET_BYTES,
    WORD(KYMO_USB_ID >> 16), WORD(KYMO_USB_ID & 0xffff), WORD(0x0100u),
    STRING_MANUFACTURER, STRING_PRODUCT, STRING_SERIAL, 1u,
};
#define DEVICE_SERIAL_AT 16u

#define CONFIGURATION_BYTES                                                                        \
    (USB_CONFIGURATION_BYTES + USB_ASSOCIATION_BYTES + 2u * USB_INTERFACE_BYTES +                  \
     CDC_HEADER_BYTES + CDC_CALL_MANAGEMENT_BYTES + CDC_ACM_BYTES + CDC_UNION_BYTES +              \
     3u * USB_ENDPOINT_BYTES)

/* Milliseconds between two looks at the notification endpoint. */
#define NOTIFY_INTERVAL 16u

const uint8_t kymo_usb_descriptor_configuration[CONFIGURATION_BYTES] = {
    /* USB 2.0, table 9-10: two interfaces, configuration 1, power in units of 2 mA */
    USB_CONFIGURATION_BYTES, USB_DESCRIPTOR_CONFIGURATION, WORD(CONFIGURATION_BYTES), 2u, 1u, 0u,
    USB_POWER_BUS, (KYMO_USB_MILLIAMPERES + 1) / 2,
    /* They are one function */
    USB_ASSOCIATION_BYTES, USB_DESCRIPTOR_ASSOCIATION, KYMO_USB_CDC_CONTROL_INTERFACE, 2u,
    CDC_CLASS, CDC_SUBCLASS_ACM, CDC_PROTOCOL_NONE, STRING_INTERFACE,
    /* Table 9-12: the port's control interface, one endpoint */
    USB_INTERFACE_BYTES, USB_DESCRIPTOR_INTERFACE, KYMO_USB_CDC_CONTROL_INTERFACE, 0u, 1u,
    CDC_CLASS, CDC_SUBCLASS_ACM, CDC_PROTOCOL_NONE, STRING_INTERFACE,
    /* CDC 5.2.3.1: CDC 1.20 */
    CDC_HEADER_BYTES, CDC_CS_INTERFACE, CDC_HEADER, WORD(0x0120u),
    /* PSTN 5.3.1: there are no calls to manage */
    CDC_CALL_MANAGEMENT_BYTES, CDC_CS_INTERFACE, CDC_CALL_MANAGEMENT, 0u, KYMO_USB_CDC_DATA_INTERFACE,
    CDC_ACM_BYTES, CDC_CS_INTERFACE, CDC_ACM, CDC_ACM_LINE | CDC_ACM_BREAK,
    /* CDC 5.2.3.2: the control interface and its data */
    CDC_UNION_BYTES, CDC_CS_INTERFACE, CDC_UNION, KYMO_USB_CDC_CONTROL_INTERFACE, KYMO_USB_CDC_DATA_INTERFACE,
    /* Table 9-13 */
    USB_ENDPOINT_BYTES, USB_DESCRIPTOR_ENDPOINT, KYMO_USB_CDC_NOTIFY, KYMO_USB_ENDPOINT_INTERRUPT,
    WORD(KYMO_USB_CDC_NOTIFY_BYTES), NOTIFY_INTERVAL,
    /* The data interface, two endpoints */
    USB_INTERFACE_BYTES, USB_DESCRIPTOR_INTERFACE, KYMO_USB_CDC_DATA_INTERFACE, 0u, 2u,
    CDC_DATA_CLASS, 0u, 0u, STRING_INTERFACE,
    USB_ENDPOINT_BYTES, USB_DESCRIPTOR_ENDPOINT, KYMO_USB_CDC_BULK_OUT, KYMO_USB_ENDPOINT_BULK,
    WORD(KYMO_USB_PACKET_BYTES), 0u,
    USB_ENDPOINT_BYTES, USB_DESCRIPTOR_ENDPOINT, KYMO_USB_CDC_BULK_IN, KYMO_USB_ENDPOINT_BULK,
    WORD(KYMO_USB_PACKET_BYTES), 0u,
};
/* clang-format on */

/* UTF-16, low byte first (USB 2.0, 9.6.7). */
static void add(uint8_t *descriptor, char character) {
    descriptor[descriptor[0]++] = (uint8_t)character;
    descriptor[descriptor[0]++] = 0u;
}

static void add_text(uint8_t *descriptor, const char *text) {
    for (size_t i = 0u; text[i] != '\0'; i++) {
        add(descriptor, text[i]);
    }
}

static void add_hexadecimal(uint8_t *descriptor, const uint8_t *bytes, size_t length) {
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0u; i < length; i++) {
        add(descriptor, digits[bytes[i] >> 4]);
        add(descriptor, digits[bytes[i] & 0xfu]);
    }
}

static size_t string_descriptor(unsigned index, const uint8_t *id, size_t id_bytes,
                                uint8_t *descriptor) {
    descriptor[0] = 2u;
    descriptor[1] = USB_DESCRIPTOR_STRING;
    switch (index) {
    case STRING_LANGUAGES:
        descriptor[2] = USB_LANGUAGE_ENGLISH & 0xffu;
        descriptor[3] = USB_LANGUAGE_ENGLISH >> 8;
        descriptor[0] = 4u;
        break;
    case STRING_MANUFACTURER:
        add_text(descriptor, KYMO_USB_MANUFACTURER);
        break;
    case STRING_PRODUCT:
        add_text(descriptor, KYMO_USB_PRODUCT);
        break;
    case STRING_SERIAL:
        add_hexadecimal(descriptor, id, id_bytes);
        break;
    case STRING_INTERFACE:
        add_text(descriptor, KYMO_USB_INTERFACE);
        break;
    default:
        return 0u;
    }
    return descriptor[0] > 2u ? descriptor[0] : 0u;
}

size_t kymo_usb_descriptor(unsigned type, unsigned index, const uint8_t *id, size_t id_bytes,
                           uint8_t *descriptor) {
    if (type == USB_DESCRIPTOR_STRING) {
        return string_descriptor(index, id, id_bytes, descriptor);
    }
    if (type != USB_DESCRIPTOR_DEVICE || index != 0u) {
        return 0u;
    }
    kymo_put_bytes(descriptor, device_descriptor, USB_DEVICE_BYTES);
    if (id_bytes == 0u) {
        descriptor[DEVICE_SERIAL_AT] = 0u;
    }
    return USB_DEVICE_BYTES;
}
