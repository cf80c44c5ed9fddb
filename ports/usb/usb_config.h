/* SPDX-License-Identifier: MIT */
/* The USB device's numbers and names on the bus, which -DKYMO_USB_...=value sets for the whole image, and constants of
 * its buffers. */
#ifndef KYMO_USB_CONFIG_H
#define KYMO_USB_CONFIG_H

/* Vendor and product number. The default is pid.codes' test number: good on your desk, but it must not be in a
 * device that you give away, as anybody's device may have it. Your own: https://pid.codes or the USB-IF. */
#ifndef KYMO_USB_VENDOR_ID
#define KYMO_USB_VENDOR_ID 0x1209
#endif
#ifndef KYMO_USB_PRODUCT_ID
#define KYMO_USB_PRODUCT_ID 0x0001
#endif

/* Names of the maker and the product, ASCII, at most 31 characters. hostlink knows a kymo device by the word "kymo" in
 * the name of its product or of its interface, whatever the numbers are. */
#ifndef KYMO_USB_MANUFACTURER
#define KYMO_USB_MANUFACTURER "kymo"
#endif
#ifndef KYMO_USB_PRODUCT
#define KYMO_USB_PRODUCT "kymo board"
#endif
#define KYMO_USB_INTERFACE "kymo trace"

/* The current that the whole board draws from the bus, in mA. */
#define KYMO_USB_MILLIAMPERES 100

/* Bytes that wait for the host, a power of two. The controller is fed from them by its
 * interrupt, so they bound the rate: the host takes at most so many between two calls of kymo_drain(). */
#define KYMO_USB_OUTPUT_BYTES 512

/* Bytes from the host that wait to be read, a power of two. What comes when they are full
 * is dropped and counted. */
#define KYMO_USB_INPUT_BYTES 256

#if KYMO_USB_VENDOR_ID < 1 || KYMO_USB_VENDOR_ID > 0xffff
#error "KYMO_USB_VENDOR_ID must be 1 to 0xffff"
#endif
#if KYMO_USB_PRODUCT_ID < 0 || KYMO_USB_PRODUCT_ID > 0xffff
#error "KYMO_USB_PRODUCT_ID must be 0 to 0xffff"
#endif

#endif
