/* SPDX-License-Identifier: MIT */
/* Errors that the driver of a serial device counted, and that the bytes alone do not show. */
#ifndef HOSTLINK_SERIAL_ERRORS_H
#define HOSTLINK_SERIAL_ERRORS_H

#include <stdint.h>

struct serial_errors {
    uint32_t framing; /* no stop bit where one was due */
    uint32_t breaks;  /* the line was low for longer than a byte */
    uint32_t
        overruns; /* bytes that were lost as nobody read them in time, in the port or its driver */
};

/* Since the device is there. 0, or -errno: the driver counts nothing. */
int serial_errors_get(int fd, struct serial_errors *errors);

#endif
