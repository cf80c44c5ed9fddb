/* SPDX-License-Identifier: MIT */
/* The serial ports of this machine and the devices plugged into them. Names come from the devices, so they are
 * cleaned (utf8_clean). */
#ifndef HOSTLINK_PLATFORM_PORTS_H
#define HOSTLINK_PLATFORM_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PORT_PATH_SIZE 256
#define PORT_TEXT_SIZE 96

/* A folder in place of "/", where tests have a machine of their own. */
#define PORT_ROOT_ENVIRONMENT "HOSTLINK_ROOT"

struct port {
    char path[PORT_PATH_SIZE];
    bool usb; /* what follows is known, each text "" = it does not say */
    uint16_t vendor, product;
    char maker[PORT_TEXT_SIZE], name[PORT_TEXT_SIZE], serial[PORT_TEXT_SIZE];
    char interface_name[PORT_TEXT_SIZE];
    char interface_number[8];      /* of the USB device's interfaces, two hex digits */
    char location[PORT_TEXT_SIZE]; /* on the bus: "1-2:1.0" */
    char driver[PORT_TEXT_SIZE];
};

/* Fills at most "limit", in any order; returns how many. Linux: sysfs. macOS: IOKit's registry. Windows: the registry.
 * Elsewhere only the names of the devices are known. */
size_t ports_list(struct port *ports, size_t limit);
/* Both names lead to one device. */
bool ports_is_same(const char *a, const char *b);

#endif
