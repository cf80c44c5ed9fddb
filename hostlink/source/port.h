/* SPDX-License-Identifier: MIT */
/* The serial ports of this machine and what is plugged into them. On Linux from sysfs; elsewhere only the
 * names of the devices are known. Names of devices are what anybody's device says: they are cleaned. */
#ifndef HOSTLINK_PORT_H
#define HOSTLINK_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PORTS_MAX 64
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

/* Fills at most "limit", sorted by path; returns how many. */
size_t port_list(struct port *ports, size_t limit);
/* The port whose device "path" is, by whatever name. False: none, and "port" is all zero. */
bool port_of_path(struct port *port, const char *path);
/* The port where the USB device of "before" is now, known by its serial number, or without one by the socket
 * that it is plugged into. */
bool port_again(struct port *port, const struct port *before);
/* True for a device that says that it is a board with kymo. */
bool port_is_kymo(const struct port *port);

#endif
