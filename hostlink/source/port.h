/* SPDX-License-Identifier: MIT */
/* The serial ports of this machine in order, and the same device again. */
#ifndef HOSTLINK_PORT_H
#define HOSTLINK_PORT_H

#include "platform/ports.h"

#define PORTS_MAX 64

/* Fills at most "limit", sorted by path; returns how many. */
size_t port_list(struct port *ports, size_t limit);
/* The port whose device "path" is, by whatever name. False: not found, and "port" is all zero. */
bool port_of_path(struct port *port, const char *path);
/* The port where the USB device of "before" is now, known by its serial number, or without one by the socket where it
 * is plugged in. */
bool port_again(struct port *port, const struct port *before);
/* True if the device identifies itself as a board with kymo. */
bool port_is_kymo(const struct port *port);

#endif
