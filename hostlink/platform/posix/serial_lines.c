/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sys/ioctl.h>

#include "platform/serial.h"

static int bits_of(unsigned lines) {
    return ((lines & SERIAL_DTR) != 0 ? TIOCM_DTR : 0) |
           ((lines & SERIAL_RTS) != 0 ? TIOCM_RTS : 0);
}

int serial_set_lines(int fd, unsigned which, unsigned on) {
    int lines = 0;
    if (ioctl(fd, TIOCMGET, &lines) != 0) {
        return -errno;
    }
    lines = (lines & ~bits_of(which)) | bits_of(which & on);
    return ioctl(fd, TIOCMSET, &lines) == 0 ? 0 : -errno;
}
