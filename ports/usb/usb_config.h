/* SPDX-License-Identifier: MIT */
/* How the USB device is known on the bus, and its buffers. The knobs are the two numbers, set with
 * -DKYMO_USB_...=value for the whole image; the others suit every board, and can be set like them. */
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

/* Names, ASCII, at most 31 characters. hostlink knows a kymo device by the word "kymo" in the name of its
 * product or of its interface, whatever the numbers are. */
#ifndef KYMO_USB_MANUFACTURER
#define KYMO_USB_MANUFACTURER "kymo"
#endif
#ifndef KYMO_USB_PRODUCT
#define KYMO_USB_PRODUCT "kymo board"
#endif
#ifndef KYMO_USB_INTERFACE
#define KYMO_USB_INTERFACE "kymo trace"
#endif

/* What the whole board draws from the bus, in mA, 2 to 500. */
#ifndef KYMO_USB_MILLIAMPERES
#define KYMO_USB_MILLIAMPERES 100
#endif

/* Bytes that wait for the host, a power of two from 64 to 32768. The controller is fed from them by its
 * interrupt, so they bound the rate: the host takes at most so many between two calls of kymo_drain(). */
#ifndef KYMO_USB_OUTPUT_BYTES
#define KYMO_USB_OUTPUT_BYTES 512
#endif

/* Bytes from the host that wait to be read, a power of two from 64 to 32768. What comes when they are full
 * is dropped and counted. */
#ifndef KYMO_USB_INPUT_BYTES
#define KYMO_USB_INPUT_BYTES 256
#endif

#if KYMO_USB_VENDOR_ID < 1 || KYMO_USB_VENDOR_ID > 0xffff
#error "KYMO_USB_VENDOR_ID must be 1 to 0xffff"
#endif
#if KYMO_USB_PRODUCT_ID < 0 || KYMO_USB_PRODUCT_ID > 0xffff
#error "KYMO_USB_PRODUCT_ID must be 0 to 0xffff"
#endif
#if KYMO_USB_MILLIAMPERES < 2 || KYMO_USB_MILLIAMPERES > 500
#error "KYMO_USB_MILLIAMPERES must be 2 to 500"
#endif
#if KYMO_USB_OUTPUT_BYTES < 64 || KYMO_USB_OUTPUT_BYTES > 32768 ||                                 \
    (KYMO_USB_OUTPUT_BYTES & (KYMO_USB_OUTPUT_BYTES - 1)) != 0
#error "KYMO_USB_OUTPUT_BYTES must be a power of two from 64 to 32768"
#endif
#if KYMO_USB_INPUT_BYTES < 64 || KYMO_USB_INPUT_BYTES > 32768 ||                                   \
    (KYMO_USB_INPUT_BYTES & (KYMO_USB_INPUT_BYTES - 1)) != 0
#error "KYMO_USB_INPUT_BYTES must be a power of two from 64 to 32768"
#endif

#endif
