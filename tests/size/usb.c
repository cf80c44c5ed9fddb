/* SPDX-License-Identifier: MIT */
/* RAM of an image with a serial port on USB; for usb.sh. */
#include "usb_cdc.h"
#include "usb_rp2040.h"

extern struct kymo_usb_cdc port;
extern struct kymo_usb_rp2040 rp2040;

struct kymo_usb_cdc port;
struct kymo_usb_rp2040 rp2040;
