/* SPDX-License-Identifier: MIT */
/* The USB device's numbers and names on the bus, and constants of its buffers. */
#ifndef KYMO_USB_CONFIG_H
#define KYMO_USB_CONFIG_H

/* Vendor's number in the upper half, product's in the lower, as in lsusb's 1209:0001. The default is pid.codes' test
 * number: good on your desk, but it must not be in a device that you give away, as anybody's device may have it. Your
 * own: https://pid.codes or the USB-IF. */
#ifndef KYMO_USB_ID
#define KYMO_USB_ID 0x12090001
#endif
#if KYMO_USB_ID < 0x10000 || KYMO_USB_ID > 0xffffffff
#error "KYMO_USB_ID must be 0x10000 to 0xffffffff"
#endif

/* hostlink knows a kymo device by the word "kymo" in the name of its product or of its interface, whatever the numbers
 * are. */
#ifndef KYMO_USB_MANUFACTURER /* a test has a longer one */
#define KYMO_USB_MANUFACTURER "kymo"
#endif
#define KYMO_USB_PRODUCT "kymo board"
#define KYMO_USB_INTERFACE "kymo trace"

/* The current that the whole board draws from the bus, in mA. */
#define KYMO_USB_MILLIAMPERES 100

/* Bytes that wait for the host, a power of two. The controller is fed from them by its
 * interrupt, so they bound the rate: the host takes at most so many between two calls of kymo_drain(). */
#define KYMO_USB_OUTPUT_BYTES 512

/* Bytes from the host that wait to be read, a power of two. What comes when they are full
 * is dropped and counted. */
#define KYMO_USB_INPUT_BYTES 256

#endif
