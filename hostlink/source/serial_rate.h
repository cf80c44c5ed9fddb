/* SPDX-License-Identifier: MIT */
/* Any bit rate that a serial driver accepts, not only those that have a name in <termios.h>. */
#ifndef HOSTLINK_SERIAL_RATE_H
#define HOSTLINK_SERIAL_RATE_H

#include <stdint.h>

/* 0 or -errno. */
int serial_rate_set(int fd, uint32_t bits_per_s);
/* The rate that the driver really uses, 0 = it does not say. */
uint32_t serial_rate_get(int fd);

#endif
