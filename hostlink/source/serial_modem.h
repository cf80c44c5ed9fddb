/* SPDX-License-Identifier: MIT */
/* The modem lines of a serial device, which many boards are wired to for a reset. */
#ifndef HOSTLINK_SERIAL_MODEM_H
#define HOSTLINK_SERIAL_MODEM_H

/* TIOCM_DTR, TIOCM_RTS and others of ioctl_tty(2), all at once. 0 or -errno. */
int serial_modem_get(int fd, int *lines);
int serial_modem_set(int fd, int lines);

#endif
