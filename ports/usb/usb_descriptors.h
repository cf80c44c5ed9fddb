/* SPDX-License-Identifier: MIT */
/* The descriptors of a device with one serial port (CDC-ACM). */
#ifndef KYMO_USB_DESCRIPTORS_H
#define KYMO_USB_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

/* Endpoints and interfaces, as the descriptors have them. */
#define KYMO_USB_CDC_BULK_OUT 0x01u
#define KYMO_USB_CDC_BULK_IN 0x81u
#define KYMO_USB_CDC_NOTIFY 0x82u
#define KYMO_USB_CDC_CONTROL_INTERFACE 0u
#define KYMO_USB_CDC_DATA_INTERFACE 1u
#define KYMO_USB_CDC_NOTIFY_BYTES 16u /* greatest packet; a notification has 10 */

/* With all that follows it. */
extern const uint8_t kymo_usb_descriptor_configuration[];

#define KYMO_USB_CHIP_ID_BYTES 15u /* longest, as hexadecimal digits in a string of 31 characters */

/* Writes the descriptor of the device (type 1) or the string "index" (type 3) into 64 bytes; its length, or 0
 * if it does not exist. The serial number is the chip's id of 0 to KYMO_USB_CHIP_ID_BYTES bytes; without one the
 * device says that it has no serial number. */
size_t kymo_usb_descriptor(unsigned type, unsigned index, const uint8_t *id, size_t id_bytes,
                           uint8_t *descriptor);

#endif
