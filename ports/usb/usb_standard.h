/* SPDX-License-Identifier: MIT */
/* Standard requests (USB 2.0, 9.4) and their effects. Called by usb_device.c, inside. */
#ifndef KYMO_USB_STANDARD_H
#define KYMO_USB_STANDARD_H

#include "usb_device.h"

/* Handles device->setup, a standard request. Returns false if the request must be refused. */
bool kymo_usb_standard_request(struct kymo_usb_device *device);

/* Returns the device to its state before a configuration was chosen. The endpoints are closed already. */
void kymo_usb_standard_unconfigure(struct kymo_usb_device *device);

#endif
