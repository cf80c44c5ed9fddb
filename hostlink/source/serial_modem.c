/* SPDX-License-Identifier: MIT */
#include "source/serial_modem.h"

#include <errno.h>
#include <sys/ioctl.h>

int serial_modem_get(int fd, int *lines) { return ioctl(fd, TIOCMGET, lines) == 0 ? 0 : -errno; }

int serial_modem_set(int fd, int lines) { return ioctl(fd, TIOCMSET, &lines) == 0 ? 0 : -errno; }
